import type { Language, Way } from './languages.ts'

const nodeSimple = `import { createHmac, timingSafeEqual } from 'node:crypto'

// rawBody: the exact bytes of the request, before any parsing.
// headers: with lower-case names, as in Node.
export const isFromService = (rawBody, headers, secret) => {
  const mac = createHmac('sha256', secret).update(rawBody).digest('hex')
  const expected = Buffer.from(\`sha256=\${mac}\`)
  const given = Buffer.from(headers['x-svc-signature'] ?? '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
`

const nodeStandard = `import { createHmac, timingSafeEqual } from 'node:crypto'

const MOST_AGE_S = 300

// rawBody: the exact bytes of the request, before any parsing.
// headers: with lower-case names, as in Node.
export const isFromService = (rawBody, headers, secret) => {
  const at = headers['webhook-timestamp']
  const mac = createHmac('sha256', secret)
  mac.update(\`\${headers['webhook-id']}.\${at}.\`).update(rawBody)
  const expected = Buffer.from(\`v1,\${mac.digest('base64')}\`)
  // For a day after a rotation there are two signatures, one for each secret.
  const isSigned = (headers['webhook-signature'] ?? '').split(' ').some((text) => {
    const given = Buffer.from(text)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  return isSigned && Math.abs(Date.now() / 1000 - Number(at)) <= MOST_AGE_S
}
`

const pythonSimple = `import hashlib
import hmac


# raw_body: the exact bytes of the request, before any parsing. headers: with lower-case
# names, or case-insensitive, as in Flask and Django.
def is_from_service(raw_body: bytes, headers, secret: str) -> bool:
    mac = hmac.new(secret.encode(), raw_body, hashlib.sha256).hexdigest()
    given = headers.get("x-svc-signature", "")
    return hmac.compare_digest(f"sha256={mac}".encode(), given.encode())
`

const pythonStandard = `import base64
import hashlib
import hmac
import time

MOST_AGE_S = 300


# raw_body: the exact bytes of the request, before any parsing. headers: with lower-case
# names, or case-insensitive, as in Flask and Django.
def is_from_service(raw_body: bytes, headers, secret: str) -> bool:
    message_id = headers.get("webhook-id", "")
    at = headers.get("webhook-timestamp", "")
    signed = f"{message_id}.{at}.".encode() + raw_body
    mac = hmac.new(secret.encode(), signed, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(mac)
    # For a day after a rotation there are two signatures, one for each secret.
    given = headers.get("webhook-signature", "").encode().split(b" ")
    is_signed = any(hmac.compare_digest(expected, one) for one in given)
    return is_signed and abs(time.time() - int(at)) <= MOST_AGE_S
`

const goSimple = `package receiver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
)

// IsFromService takes the exact bytes of the request,
// before any parsing.
func IsFromService(rawBody []byte, header http.Header, secret string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(rawBody)
	expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(expected), []byte(header.Get("X-Svc-Signature")))
}
`

const goStandard = `package receiver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const mostAge = 5 * time.Minute

// IsFromService takes the exact bytes of the request,
// before any parsing.
func IsFromService(rawBody []byte, header http.Header, secret string) bool {
	id, at := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(id + "." + at + "."))
	mac.Write(rawBody)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > mostAge {
		return false
	}
	// For a day after a rotation there are two signatures, one for each secret.
	for _, given := range strings.Split(header.Get("Webhook-Signature"), " ") {
		if hmac.Equal([]byte(given), []byte(expected)) {
			return true
		}
	}
	return false
}
`

/** Verification code for receivers, without dependencies. */
export const snippets: Readonly<Record<Language, Readonly<Record<Way, string>>>> = {
  node: { simple: nodeSimple, standard: nodeStandard },
  python: { simple: pythonSimple, standard: pythonStandard },
  go: { simple: goSimple, standard: goStandard },
}
