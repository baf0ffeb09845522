import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { createBrowser } from '../oauth/browser.ts'
import { startProvider } from '../oauth/provider.ts'
import { startService, temporaryFolder } from './service.ts'

describe('people with accounts elsewhere', () => {
  it('sign in with every provider, and are the same after a restart; their tokens are nowhere to be read', async () => {
    using folder = temporaryFolder()
    await using provider = await startProvider()
    const env = {
      ...provider.env(),
      DATA_DIR: folder.in('data'),
      AUTH_MODE: 'cloud',
      REGISTRATION_MODE: 'open',
      LOG_LEVEL: 'debug',
    }
    const service = await startService({ env })
    await using _killed = service
    provider.register(service.baseUrl)
    const browser = createBrowser(service.baseUrl, provider)
    for (const name of ['codehost', 'trackera', 'trackerb', 'oidc'] as const)
      expect((await browser.signIn(name)).location).toBe('/')
    const user = await browser.me()
    expect(user.connectedAccounts).toEqual(['codehost', 'trackera', 'trackerb', 'oidc'])
    await service.stop()
    expect(statSync(folder.in('data', 'encryption.key')).mode & 0o777).toBe(0o600)

    await using again = await startService({ env })
    provider.register(again.baseUrl)
    const elsewhere = createBrowser(again.baseUrl, provider)
    await elsewhere.signIn('trackerb')
    expect(await elsewhere.me()).toEqual(user)
    await again.stop()

    const written = readdirSync(folder.in('data'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
    expect(written.join()).toContain('ann@example.com')
    expect(written.join() + service.output() + again.output()).not.toContain('CANARY')
  })
})
