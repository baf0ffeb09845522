import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { openSite, type Site } from '../oauth/site.ts'

const REPOSITORIES = '/api/integrations/codehost/repositories'
const branchesOf = (repository: string) =>
  `/api/integrations/codehost/branches?repository=${encodeURIComponent(repository)}`

describe('what a linked account reaches on the code host', () => {
  let site: Site
  let asked: string[]
  let isUp: boolean
  beforeEach(async () => {
    site = await openSite()
    asked = []
    isUp = true
    site.provider.state.api = async ({ method, path, headers }) => {
      asked.push(path)
      if (!isUp) return { status: 502 }
      if (method !== 'GET' || headers.accept !== 'application/vnd.github+json') return { status: 400 }
      if (path === '/user/repos?sort=pushed&per_page=100')
        return { status: 200, body: [{ full_name: 'ann/shop', default_branch: 'trunk', private: true }] }
      if (path === '/repos/ann/shop/branches?per_page=100')
        return { status: 200, body: [{ name: 'trunk', protected: true }, { name: 'next' }] }
      return { status: 404, body: { message: 'Not Found' } }
    }
  })
  afterEach(() => site[Symbol.asyncDispose]())

  const linked = async (email: string) => {
    const browser = site.browser()
    await browser.signUp(email)
    await browser.signIn('codehost')
    return browser
  }

  it('is listed to its owner, asked for once in five minutes, and nothing to who has linked none', async () => {
    const ann = await linked('ann@example.com')
    const shop = { name: 'ann/shop', defaultBranch: 'trunk', private: true }
    for (let n = 0; n < 2; n++) {
      expect((await ann.ask(REPOSITORIES)).body).toEqual({ repositories: [shop] })
      expect((await ann.ask(branchesOf('ann/shop'))).body).toEqual({ branches: ['trunk', 'next'] })
    }
    expect(asked).toHaveLength(2)
    site.clock.advance(5 * 60_000)
    expect((await ann.ask(REPOSITORIES)).body).toEqual({ repositories: [shop] })
    expect(asked).toHaveLength(3)

    const eve = site.browser()
    await eve.signUp('eve@example.com')
    expect((await eve.ask(REPOSITORIES)).body).toEqual({ repositories: [] })
    expect((await eve.ask(branchesOf('ann/shop'))).body).toEqual({ branches: [] })
    expect(asked).toHaveLength(3)
    expect((await site.browser().ask(REPOSITORIES)).status).toBe(401)
  })

  it('is asked for again after a failure, and is no path of the code host that a caller makes', async () => {
    const ann = await linked('ann@example.com')
    isUp = false
    expect(await ann.ask(REPOSITORIES)).toMatchObject({
      status: 503,
      body: { code: 'code_host_unavailable' },
    })
    isUp = true
    expect((await ann.ask(REPOSITORIES)).status).toBe(200)
    expect(await ann.ask(branchesOf('ann/none'))).toMatchObject({
      status: 404,
      body: { code: 'repository_not_found' },
    })
    asked = []
    for (const name of ['shop', '../user', 'ann/..', 'ann/shop/pulls', 'ann/shop?x', 'https://a.example/b'])
      expect((await ann.ask(branchesOf(name))).status).toBe(400)
    expect(asked).toEqual([])
  })
})
