import type { IncomingMessage } from 'node:http'
import { malformed } from './bad-request.ts'

/** The path and query of a request, and its host: of the target in absolute form, else of the Host header. */
export type RequestTarget = { path: string; query: string; host: string | undefined }

const ABSOLUTE = /^[a-z][a-z\d+.-]*:/i
const HTTP_URL = /^https?:\/\/([^/?#]*)([^?#]*)(\?[^#]*)?$/i
/** A name, an IPv4 address or an IPv6 address in brackets, and a port. Users and passwords are refused. */
const AUTHORITY = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i

/**
 * Reads the target of a request (RFC 9112, section 3.2). The host of a target in absolute form replaces the Host header,
 * as a server must do by section 3.2.2: guards then check the host that the request names. Throws Problem
 * `malformed_request` for a target in absolute form that is no http or https URL of a host.
 */
export const requestTarget = ({ url = '/', headers }: IncomingMessage): RequestTarget => {
  if (url.startsWith('/') || !ABSOLUTE.test(url)) return { ...split(url), host: headers.host }
  const [, host = '', path, query = ''] = HTTP_URL.exec(url) ?? []
  if (!AUTHORITY.test(host) || !URL.canParse(`http://${host}`))
    throw malformed('The request target is no URL of this service')
  return { path: path || '/', query: query.slice(1), host }
}

const split = (url: string): { path: string; query: string } => {
  const at = url.indexOf('?')
  return at < 0 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) }
}
