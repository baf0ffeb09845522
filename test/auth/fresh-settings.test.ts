import { describe, expect, it } from '@jest/globals'
import { openGuard } from '../../lib/app/front.ts'
import { LOCAL_ADMIN } from '../../lib/core/principal.ts'
import type { HttpEvent } from '../../lib/http/event.ts'

const event: HttpEvent = {
  version: '2.0',
  routeKey: '',
  rawPath: '/',
  rawQueryString: '',
  headers: { host: 'localhost' },
  requestContext: { requestId: 'req_1', http: { method: 'GET', path: '/', sourceIp: '127.0.0.1' } },
  isBase64Encoded: false,
}

/** A process whose settings are as old as they may be, while another one has set an access key. */
const opened = (isStale: boolean) => {
  let hasKey = false
  const read = async () => {
    hasKey = true
  }
  const identity = { isOpen: () => !hasKey, ofSession: async () => undefined, ofToken: async () => undefined }
  const entry = { identity, settings: { refresh: () => (isStale ? read() : undefined) } }
  return openGuard(entry as never, { trustedHops: 0 })
}

describe('the guard of one of many processes', () => {
  it('goes by the settings of now where those it knows are too old', async () => {
    await expect(opened(true)('admin', event)).rejects.toMatchObject({ code: 'not_signed_in' })
    expect(await opened(false)('admin', event)).toEqual(LOCAL_ADMIN)
  })
})
