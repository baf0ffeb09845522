import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { type Allowed, mayReach, notPublic, type Resolve } from './outbound-address.ts'

/** Connects only to addresses that were just checked, so that a name cannot resolve differently in between. */
export const createGuardedConnect =
  ({ allowed, resolve, timeoutMs }: { allowed: Allowed; resolve: Resolve; timeoutMs: number }) =>
  (options: buildConnector.Options, callback: buildConnector.Callback): void => {
    const { hostname } = options
    resolve(hostname).then(
      (addresses) => {
        const settings = {
          lookup: pinned(addresses),
          timeout: timeoutMs,
          maxCachedSessions: 0,
          allowH2: false,
        }
        buildConnector(settings)(options, (...[error, socket]) => {
          if (socket === undefined || error !== null) return callback(error ?? new Error('no socket'), null)
          if (mayReach(allowed, hostname, socket.remoteAddress ?? '')) return callback(null, socket)
          socket.destroy()
          callback(notPublic(), null)
        })
      },
      (thrown) => callback(thrown, null),
    )
  }

/**
 * Replaces the lookup of a connection, since the name was looked up before. An empty list is an error here: `net` would
 * read its first entry in a callback, and the TypeError would end the process.
 */
const pinned =
  (addresses: readonly string[]): LookupFunction =>
  (host, { all }, callback) => {
    const entries = addresses.map((address) => ({ address, family: isIP(address) }))
    const [first] = entries
    if (!first) callback(Object.assign(new Error(`no address of ${host}`), { code: 'ENOTFOUND' }), '')
    else if (all === true) callback(null, entries)
    else callback(null, first.address, first.family)
  }
