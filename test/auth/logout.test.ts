import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { bearer, startCloud } from '../accounts/started.ts'

let cloud: Awaited<ReturnType<typeof startCloud>>
beforeAll(async () => {
  cloud = await startCloud()
})
afterAll(() => cloud.stop())

const tasksWith = async (token: string) =>
  (await cloud.ann.send('GET /api/tasks', undefined, bearer(token))).status

describe('logging out', () => {
  it.each([['svc_wrong'], ['']])(
    'ends the session of the cookie beside the Bearer token %j',
    async (wrong) => {
      const bob = await cloud.newcomer(`beside-${wrong}x`)
      const token = bob.token()
      expect(await tasksWith(token)).toBe(200)
      expect((await bob.send('POST /api/auth/logout', undefined, bearer(wrong))).status).toBe(200)
      expect(bob.token()).toBe('')
      expect(await tasksWith(token)).toBe(401)
    },
  )

  it('ends both sessions where the cookie and the Bearer token have one each', async () => {
    const bob = await cloud.newcomer('both')
    const first = bob.token()
    await bob.logIn('both')
    const second = bob.token()
    await bob.send('POST /api/auth/logout', undefined, bearer(first))
    expect([await tasksWith(first), await tasksWith(second)]).toEqual([401, 401])
  })
})
