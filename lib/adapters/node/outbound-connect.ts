import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { type Allowed, mayReach, notPublic, type Resolve } from './outbound-address.ts'

/**
 * Opens connections to addresses that were checked a moment ago and to no others, so that a name cannot change its mind
 * in between. The address that the socket is connected to is checked once more after the connect.
 */
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
 * Stands in for the lookup of a connection: the name has been looked up already. No address is an error here: `net` takes
 * the first of an empty list, in a callback of its own, and its TypeError would end the process.
 */
const pinned =
  (addresses: readonly string[]): LookupFunction =>
  (host, { all }, callback) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }))
    const [first] = found
    if (!first) callback(Object.assign(new Error(`no address of ${host}`), { code: 'ENOTFOUND' }), '')
    else if (all === true) callback(null, found)
    else callback(null, first.address, first.family)
  }
