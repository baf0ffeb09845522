import { describe, expect, it } from '@jest/globals'
import { openGuard } from '../../lib/app/front.ts'
import { LOCAL_ADMIN } from '../../lib/core/principal.ts'
import { httpEvent } from '../fakes/http-event.ts'

const event = httpEvent('GET /')

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
