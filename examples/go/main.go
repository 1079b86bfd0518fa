// A receiver of the webhook gateway with net/http:
//
//	DELIVERY_SECRETS='whsec_…' DATABASE=shop.db PORT=3000 go run .
package main

import (
	"cmp"
	"database/sql"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
)

// MAX_PAYLOAD_BYTES of the gateway, 1 MiB.
const maxBody = 1 << 20

func main() {
	// One secret, or the old and the new one during a rotation, with a space between them.
	secrets := strings.Fields(os.Getenv("DELIVERY_SECRETS"))
	if len(secrets) == 0 {
		log.Fatal("Set DELIVERY_SECRETS to the delivery_secret of the account.")
	}
	database, err := openShop(cmp.Or(os.Getenv("DATABASE"), "shop.db"))
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "3000"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s/hooks\n", listener.Addr())
	http.Handle("POST /hooks", receiver(database, secrets))
	log.Fatal(http.Serve(listener, nil))
}

func receiver(database *sql.DB, secrets []string) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		// All bytes before request.FormValue, which would parse a form and leave no bytes.
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBody))
		if err != nil {
			http.Error(response, "the body is too large or incomplete", http.StatusRequestEntityTooLarge)
			return
		}
		if !isSigned(body, request.Header, secrets) {
			response.WriteHeader(http.StatusUnauthorized)
			return
		}
		received, err := readEvent(request.Header.Get("content-type"), body)
		if err != nil {
			response.WriteHeader(http.StatusUnsupportedMediaType)
			return
		}
		// After 500 the gateway makes another attempt.
		if err := processOnce(request.Context(), database, request.Header.Get("webhook-id"), received); err != nil {
			log.Print(err)
			response.WriteHeader(http.StatusInternalServerError)
			return
		}
		response.WriteHeader(http.StatusNoContent)
	}
}
