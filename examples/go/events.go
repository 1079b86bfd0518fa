package main

import (
	"encoding/json"
	"errors"
	"mime"
	"net/url"
	"strconv"
	"strings"
)

// An event of the shop, read from JSON or from a form.
type event struct {
	Type   string `json:"type"`
	Order  string `json:"order"`
	Amount int    `json:"amount"`
}

var errUnreadable = errors.New("the body is neither a JSON object nor a form of the shop")

// readEvent reads the body by its content type. Providers decide what they send: most send JSON, some send forms
// (Twilio, Slack).
func readEvent(contentType string, body []byte) (event, error) {
	var read event
	// The type is right even if a parameter is not.
	mediaType, _, _ := mime.ParseMediaType(contentType)
	switch {
	case mediaType == "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return read, errUnreadable
		}
		read.Type, read.Order = form.Get("type"), form.Get("order")
		if text := form.Get("amount"); text != "" {
			if read.Amount, err = strconv.Atoi(text); err != nil {
				return read, errUnreadable
			}
		}
	case mediaType == "application/json", strings.HasSuffix(mediaType, "+json"):
		if json.Unmarshal(body, &read) != nil {
			return read, errUnreadable
		}
	default:
		return read, errUnreadable
	}
	return read, nil
}
