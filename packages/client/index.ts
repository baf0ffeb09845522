import { type ClientSettings, createClient } from '../../lib/api/client.ts'
import { requestParts } from '../../lib/api/request-parts.ts'

export { ApiError } from '../../lib/api/api-error.ts'
export { eventsIn } from '../../lib/api/server-sent-events.ts'

type Settings = ClientSettings & { token?: string }

/** The client of a service: a method for each operation, under the operation's name. */
export const connect = ({ token, headers, ...settings }: Settings) =>
  createClient(requestParts, {
    ...settings,
    headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
  })
