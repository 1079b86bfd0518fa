package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A delivery is signed when it is sent. Five minutes allow for a slow network and clocks that differ.
const tolerance = 5 * time.Minute

// keyOf returns the key of a delivery secret: the bytes of the base64 after "whsec_", else those of the whole text.
func keyOf(secret string) []byte {
	encoded, isBase64 := strings.CutPrefix(secret, "whsec_")
	if isBase64 {
		// Padding may be lost in a copy.
		if key, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(encoded, "=")); err == nil {
			return key
		}
	}
	return []byte(secret)
}

// isSigned tells whether the gateway has signed these bytes with one of the secrets, at most five minutes ago.
// The body has the bytes as received: not parsed, decoded or decompressed.
func isSigned(body []byte, headers http.Header, secrets []string) bool {
	id, timestamp := headers.Get("webhook-id"), headers.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if id == "" || err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, keyOf(secret))
		mac.Write([]byte(id + "." + timestamp + "."))
		mac.Write(body)
		expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for given := range strings.SplitSeq(headers.Get("webhook-signature"), " ") {
			if hmac.Equal([]byte(given), []byte(expected)) {
				return true
			}
		}
	}
	return false
}
