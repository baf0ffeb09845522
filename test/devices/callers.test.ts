import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { LOCAL_ADMIN } from '../../lib/core/principal.ts'
import { deviceHandlers } from '../../lib/devices/handlers.ts'
import type { Call } from '../../lib/http/route.ts'
import { createCaller } from '../fakes/caller.ts'
import { inPieces } from '../fakes/pieces.ts'
import { BOB, type StartedDomains, startDomains } from '../fakes/service.ts'

describe('who enters pairing codes', () => {
  let domains: StartedDomains
  beforeAll(async () => {
    domains = await startDomains({ background: false })
  })
  afterAll(() => domains.store.close())

  const deviceCall = (userId: string, address: string): Call => ({
    principal: { ...BOB, userId },
    requestId: 'req_1',
    header: () => undefined,
    cookies: () => [],
    origin: () => ({ address, baseUrl: 'https://tasks.example', isSecure: true }),
    pieces: () => inPieces(),
    gone: () => new AbortController().signal,
  })
  const wrong = { params: undefined, query: undefined, headers: undefined, body: { code: '000-000-000' } }

  it.each(['approvePairing', 'rejectPairing'] as const)(
    'is counted by the address that %s comes from, for all users together',
    async (name) => {
      const handle = deviceHandlers(domains)[name]
      const enter = async (userId: string, address: string) => {
        await handle.admit?.(deviceCall(userId, address))
        return handle(wrong, deviceCall(userId, address))
      }
      const refused = { code: 'rate_limited' }
      const unknown = { code: 'pairing_code_not_found' }
      const [here, elsewhere] = [`203.0.113.${name.length}`, `198.51.100.${name.length}`]
      for (let n = 0; n < 10; n++) await expect(enter(`${name}_${n}`, here)).rejects.toMatchObject(unknown)
      await expect(enter(`${name}_10`, here)).rejects.toMatchObject(refused)
      await expect(enter(`${name}_11`, elsewhere)).rejects.toMatchObject(unknown)
    },
  )

  it('is on record with how many expired requests were removed, and with nothing where there were none', async () => {
    const call = createCaller(domains)
    const cleanups = async () =>
      (await call('GET /api/audit?action=device.cleanup', { as: LOCAL_ADMIN })).body.records
    await call('POST /api/devices/pairing/cleanup', { body: {} })
    expect(await cleanups()).toEqual([])
    await call('POST /api/devices/pairing/request', { body: { requesterId: 'laptop' } })
    domains.clock.advance(600_000)
    await call('POST /api/devices/pairing/cleanup', { body: {}, as: BOB })
    expect(await cleanups()).toMatchObject([{ userId: BOB.userId, details: { deleted: 1 } }])
  })
})
