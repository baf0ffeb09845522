import { readdirSync, readFileSync } from 'node:fs'
import * as path from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { linkedAccounts } from '../../lib/oauth/rows.ts'
import { temporaryFolder } from '../journeys/service.ts'
import { linkedToken } from './linked-token.ts'
import { openSite } from './site.ts'

describe('codes, tokens and client secrets', () => {
  it('are in no log line, no row, no audit record and no answer, whatever goes wrong', async () => {
    using folder = temporaryFolder()
    await using site = await openSite({ file: folder.in('service.db') })
    const { provider, domains, log } = site
    const answers: unknown[] = []
    const browser = site.browser()
    for (const name of ['codehost', 'trackera', 'trackerb', 'oidc'] as const) {
      const { text, location, cookie } = await browser.signIn(name)
      answers.push(text, location, cookie)
    }
    const { id } = await browser.me()
    answers.push(await browser.me(), (await browser.ask('/api/audit')).body)
    for (const fault of ['status 500', 'html', 'refusal with 200', 'redirect', 'reset'] as const) {
      const back = await browser.comeBack('codehost')
      provider.state.fault = fault
      const { text, location } = await browser.ask(back)
      answers.push(text, location)
      provider.state.fault = 'none'
    }
    const { body } = await browser.ask('/api/auth/codehost/url')
    const refused = { code: 'CANARY-code-unknown', state: body.state }
    answers.push((await browser.post('/api/auth/codehost/token', refused)).text)
    site.clock.advance(3_600_000)
    await linkedToken(domains, id, 'trackera')
    provider.grants.revokeAll()
    await linkedToken(domains, id, 'trackerb').catch((thrown) => answers.push(String(thrown), thrown))
    await domains.oauth.unlink(id, ['codehost'])
    expect(JSON.stringify(answers)).not.toContain('CANARY')
    expect(JSON.stringify(log.entries, withErrors)).not.toContain('CANARY')
    expect(bytesIn(folder.path)).toContain('ann-site')
    expect(bytesIn(folder.path)).not.toContain('CANARY')
  })

  it('do not open in another row, and not for another user', async () => {
    await using site = await openSite()
    const [ann, bob] = [site.browser(), site.browser()]
    await ann.signIn('codehost')
    await ann.signIn('trackerb')
    await bob.signUp('bob@example.com')
    await bob.signIn('trackera')
    const { store } = site.domains
    const annId = (await ann.me()).id
    const bobId = (await bob.me()).id
    const accountRows = async (userId: string) =>
      (await store.page(linkedAccounts, { index: 'ofUser', is: userId, order: 'asc', limit: 9 })).rows
    const [hers, alsoHers] = await accountRows(annId)
    const [his] = await accountRows(bobId)
    if (!hers?.tokens || !alsoHers || !his) throw new Error('nothing is linked')
    const unreadable = { code: 'sealed_text_unreadable' }
    await store.commit({ update: linkedAccounts, key: alsoHers.id, set: { tokens: hers.tokens } })
    await expect(linkedToken(site.domains, annId, alsoHers.provider)).rejects.toMatchObject(unreadable)
    await store.commit({ update: linkedAccounts, key: his.id, set: { tokens: hers.tokens } })
    await expect(linkedToken(site.domains, bobId, 'trackera')).rejects.toMatchObject(unreadable)
    await store.commit({ update: linkedAccounts, key: hers.id, set: { userId: bobId } })
    await expect(linkedToken(site.domains, bobId, hers.provider)).rejects.toMatchObject(unreadable)
  })
})

const withErrors = (_key: string, value: unknown) =>
  value instanceof Error
    ? { ...value, message: value.message, stack: value.stack, cause: value.cause }
    : value

/** What is on the disk, byte by byte. */
const bytesIn = (folder: string): string =>
  readdirSync(folder)
    .map((name) => readFileSync(path.join(folder, name), 'latin1'))
    .join()
