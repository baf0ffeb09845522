/** Shorter secrets are not masked: ordinary words would contain them, and masking a word would reveal the secret. */
export const SHORTEST_MASKED = 8

/** Why a secret cannot be used; undefined for any other. */
export const secretFault = (secret: string): string | undefined => {
  if (!/[^\p{Z}\p{C}]/u.test(secret)) return 'must have a visible character'
  return /[\r\n]/.test(secret) ? 'must be a single line' : undefined
}

const HEX = /^(?:[0-9a-f]{2}){16,}$/i
const BASE64 = /^[\w+/-]{22,}={0,2}$/

const json = (text: string) => JSON.stringify(text).slice(1, -1)
const unicode = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
const strictPercent = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
const lowerPercent = (text: string) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** The ways in which programs write a text inside another one: JSON, URLs, forms, HTML, quotes. */
const writings: readonly ((text: string) => string)[] = [
  (text) => text,
  json,
  (text) => json(json(text)),
  (text) => json(text).replaceAll('/', '\\/'),
  (text) => json(text).replace(/[^\x20-\x7e]/g, unicode),
  (text) => json(text).replace(/[<>&']/g, unicode),
  encodeURIComponent,
  (text) => lowerPercent(encodeURIComponent(text)),
  strictPercent,
  (text) => lowerPercent(strictPercent(text)),
  (text) => new URLSearchParams([['', text]]).toString().slice(1),
  (text) => text.replace(/[&<>"']/g, (char) => entities[char] ?? char),
  (text) => text.replaceAll('\\', '\\\\').replaceAll("'", "\\'"),
  (text) => text.replaceAll("'", "'\\''"),
]

/** The base64 of bytes has three forms, by their position; this keeps characters that only these bytes determine. */
const base64Forms = (bytes: Buffer): string[] =>
  [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)),
  )

const urlSafe = (base64: string) => base64.replaceAll('+', '-').replaceAll('/', '_')

const encodedForms = (bytes: Buffer): string[] => {
  const hex = bytes.toString('hex')
  const base64 = base64Forms(bytes)
  return [hex, hex.toUpperCase(), ...base64, ...base64.map(urlSafe)]
}

/** The bytes of a secret, and of its decoded form where it is hexadecimal or base64. */
const secretBytes = (secret: string): Buffer[] => [
  Buffer.from(secret),
  ...(HEX.test(secret) ? [Buffer.from(secret, 'hex')] : []),
  ...(BASE64.test(secret) ? [Buffer.from(secret, 'base64')] : []),
]

/** Every text by which a program may print a secret, the secret included; none for a secret that is too short to mask. */
export const secretForms = (secret: string): string[] => {
  const text = secret.toWellFormed()
  if (text.length < SHORTEST_MASKED) return []
  const forms = [...writings.map((write) => write(text)), ...secretBytes(text).flatMap(encodedForms)]
  return [...new Set(forms)].filter(({ length }) => length >= SHORTEST_MASKED)
}
