import { describe, expect, it } from '@jest/globals'
import { createCipher } from '../../lib/adapters/node/cipher.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import type { Collection } from '../../lib/core/collection.ts'
import { ANONYMOUS, LOCAL_ADMIN, type Principal } from '../../lib/core/principal.ts'
import type { Call } from '../../lib/http/route.ts'
import { createAuthorizationRequests } from '../../lib/oauth/authorization-requests.ts'
import { authorizationRequests } from '../../lib/oauth/rows.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { inPieces } from '../fakes/pieces.ts'
import { openSite } from './site.ts'

describe('a sign-in that has begun', () => {
  it('is stored without anything that would let its reader go on with it, in whatever notation', async () => {
    const clock = createFakeClock()
    const rows: string[] = []
    const real = openSqliteStore({
      file: ':memory:',
      collections: [authorizationRequests] as unknown as Collection[],
      clock,
    })
    const commit: typeof real.commit = (write, ...more) => {
      rows.push(JSON.stringify(write))
      return real.commit(write, ...more)
    }
    const key = entropy(32)
    const cipher = createCipher({ keys: () => [key], entropy })
    const { begin, end } = createAuthorizationRequests({ store: { ...real, commit }, cipher, entropy, clock })
    const invite = 'an-invite-code'
    const begun = await begin({ provider: 'codehost', redirectUri: 'https://tasks.example/back', invite })
    expect(rows).toHaveLength(1)
    for (const secret of [...Object.values(begun), invite])
      for (const notation of ['utf8', 'hex', 'base64', 'base64url'] as const) {
        expect(rows[0]).not.toContain(Buffer.from(secret).toString(notation).replace(/=+$/, ''))
        expect(rows[0]).not.toContain(Buffer.from(secret, 'base64url').toString(notation).replace(/=+$/, ''))
      }
    expect(await end('codehost', begun)).toMatchObject({
      verifier: begun.verifier,
      nonce: begun.nonce,
      invite,
    })
  })

  it('by the owner of an open installation is not ended by an unknown caller once people sign in there', async () => {
    await using site = await openSite()
    const { flow } = site.domains.oauth
    const authorizationCall = (principal: Principal, cookie?: string): Call => ({
      principal,
      requestId: 'req_1',
      header: () => undefined,
      cookies: () => (cookie === undefined ? [] : [cookie]),
      origin: () => ({ address: '127.0.0.1', baseUrl: site.baseUrl, isSecure: false }),
      pieces: () => inPieces(),
      gone: () => new AbortController().signal,
    })
    const { state, headers } = await flow.begin('codehost', {}, authorizationCall(LOCAL_ADMIN))
    const [, secret] = /=([^;]*)/.exec(headers['set-cookie']) ?? []
    await expect(
      flow.finish('codehost', { code: 'a-code', state }, authorizationCall(ANONYMOUS, secret)),
    ).rejects.toMatchObject({ kind: 'forbidden', code: 'session_changed' })
  })
})
