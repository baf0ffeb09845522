const MOST = 200

/** What looks like a key of some provider, in case one quotes a key that is not the configured one. */
const KEY_LIKE =
  /\b(?:c?sk|pk|rk|xai|pplx|key)-[\w*-]{8,}|\b(?:gsk|fw|tgp)_[\w*-]{8,}|\bAIza[\w*-]{20,}|\bBearer\s+\S{8,}/gi
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+|\s+/g

/** A short single line of foreign text that is fit for an error message: no secret, no control characters. */
export const excerpt = (text: string, secrets: readonly string[]): string => {
  const hidden = secrets
    .filter((secret) => secret.length >= 4)
    .reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text)
  const line = hidden.replace(KEY_LIKE, '[redacted]').replace(UNPRINTABLE, ' ').trim()
  return line.length > MOST ? `${line.slice(0, MOST - 1)}…` : line
}
