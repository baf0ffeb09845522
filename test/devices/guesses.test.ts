import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Approver } from '../../lib/devices/pairing.ts'
import { ANN, BOB } from '../fakes/service.ts'
import {
  ann,
  atOnce,
  composeDevices,
  newAddress,
  type Opened,
  outcomeCode,
  requester,
  storages,
} from './opened.ts'

const WRONG = '000-000-000'
const MINUTE = 60_000

describe.each(storages)('guessing codes on %s', (_name, open) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.close())
  const start = () => {
    const { request, countCode, approve, reject } = composeDevices(opened).devices.pairing
    return {
      request,
      clock: opened.clock,
      // Counted before it is read, as the handlers do.
      approve: (who: Approver, code: string) => countCode(who).then(() => approve(who, code)),
      reject: (who: Approver, code: string) => countCode(who).then(() => reject(who, code, undefined)),
    }
  }

  it('ends after ten wrong codes, right ones included, until ten minutes are over', async () => {
    const { request, approve, reject, clock } = start()
    const { code } = await request(requester())
    const me = ann()
    for (let n = 0; n < 5; n++) {
      expect(await outcomeCode(approve(me, WRONG))).toBe('pairing_code_not_found')
      expect(await outcomeCode(reject(me, WRONG))).toBe('pairing_code_not_found')
    }
    clock.advance(MINUTE)
    await expect(approve(me, code)).rejects.toMatchObject({
      kind: 'rate_limited',
      retryAfterMs: 9 * MINUTE,
      message: expect.stringContaining('10 minutes'),
    })
    clock.advance(9 * MINUTE)
    expect(await outcomeCode(approve(me, (await request(requester())).code))).toContain('"status":"approved"')
  })

  it('counts for the user from everywhere, and for the address from all users', async () => {
    const { request, approve, clock } = start()
    clock.advance(10 * MINUTE)
    const address = newAddress()
    for (let n = 0; n < 10; n++) await outcomeCode(approve({ principal: ANN, address: newAddress() }, WRONG))
    expect(await outcomeCode(approve(ann(), WRONG))).toBe('rate_limited')
    for (let n = 0; n < 10; n++)
      await outcomeCode(approve({ principal: { ...BOB, userId: `user_${n}` }, address }, WRONG))
    expect(await outcomeCode(approve({ principal: BOB, address }, WRONG))).toBe('rate_limited')
    const { code } = await request(requester())
    expect(await outcomeCode(approve({ principal: BOB, address: newAddress() }, code))).toContain('approved')
  })

  it('counts an IPv6 network as one address', async () => {
    const { approve, clock } = start()
    clock.advance(10 * MINUTE)
    const from = (n: number) => ({
      principal: { ...BOB, userId: `neighbour_${n}` },
      address: `2001:db8:1:2::${n}`,
    })
    for (let n = 0; n < 10; n++) await outcomeCode(approve(from(n), WRONG))
    expect(await outcomeCode(approve(from(10), WRONG))).toBe('rate_limited')
  })

  it('looks no further than ten codes when many come at once', async () => {
    const { approve, clock } = start()
    clock.advance(10 * MINUTE)
    const me = ann()
    const answers = await atOnce(40, () => outcomeCode(approve(me, WRONG)))
    expect(answers.filter((code) => code === 'pairing_code_not_found')).toHaveLength(10)
    expect(answers.filter((code) => code === 'rate_limited')).toHaveLength(30)
  })

  it('does not count right codes: a user may approve a hundred devices', async () => {
    const { request, approve, clock } = start()
    clock.advance(10 * MINUTE)
    const me = ann()
    for (let n = 0; n < 25; n++)
      expect(await approve(me, (await request(requester())).code)).toMatchObject({ status: 'approved' })
  })
})
