import { describe, expect, it } from '@jest/globals'
import { warnOfGuessedAddress } from '../../lib/app/start-up.ts'
import { readConfig } from '../../lib/config/config.ts'
import { createFakeLog } from '../fakes/log.ts'
import { type Environment, startService, temporaryFolder } from '../journeys/service.ts'

const OIDC = { OIDC_ISSUER: 'https://issuer.example', OIDC_CLIENT_ID: 'client' }

describe('a start without PUBLIC_URL', () => {
  it.each<[when: string, env: Environment, providers: readonly string[]]>([
    ['people sign in with an issuer', { AUTH_MODE: 'oidc', ...OIDC }, ['oidc']],
    [
      'people sign in with a provider',
      { AUTH_MODE: 'cloud', CODEHOST_CLIENT_ID: 'a', TRACKERA_CLIENT_ID: 'b' },
      ['codehost', 'trackera'],
    ],
  ])('warns when %s', (_when, env, providers) => {
    const log = createFakeLog()
    const config = readConfig(env)
    warnOfGuessedAddress(config, { authMode: () => config.AUTH_MODE }, log)
    expect(log.entries).toMatchObject([
      { level: 'warn', message: expect.stringContaining('PUBLIC_URL is not set'), fields: { providers } },
    ])
  })

  it.each<[when: string, env: Environment]>([
    ['the address is set', { AUTH_MODE: 'oidc', ...OIDC, PUBLIC_URL: 'https://tasks.example' }],
    ['people sign in with passwords', { AUTH_MODE: 'cloud' }],
    ['one person uses it', { CODEHOST_CLIENT_ID: 'a' }],
  ])('says nothing when %s', (_when, env) => {
    const log = createFakeLog()
    const config = readConfig(env)
    warnOfGuessedAddress(config, { authMode: () => config.AUTH_MODE }, log)
    expect(log.entries).toEqual([])
  })

  it('is in the log of a service', async () => {
    using folder = temporaryFolder()
    const env = { DATA_DIR: folder.path, AUTH_MODE: 'cloud', CODEHOST_CLIENT_ID: 'client' }
    await using service = await startService({ env })
    expect(service.output()).toContain('"providers":["codehost"]')
  })
})
