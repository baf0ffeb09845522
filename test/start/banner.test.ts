import { describe, expect, it } from '@jest/globals'
import { visit } from '../accounts/visitor.ts'
import { type Environment, startService, temporaryFolder } from '../journeys/service.ts'

const said = async (env: Environment) => {
  await using service = await startService({ env: { ANTHROPIC_API_KEY: 'never-used', ...env } })
  return { text: service.output(), baseUrl: service.baseUrl }
}

describe('what a service says when it has started', () => {
  it('is where it listens and, to try, the address that people use', async () => {
    const PUBLIC_URL = 'https://tasks.example/'
    const { text, baseUrl } = await said({ SERVICE_MODE: 'pico', ACCESS_KEY: 'open sesame', PUBLIC_URL })
    expect(text).toContain(` on ${baseUrl}, mode pico\n  public  https://tasks.example\n`)
    expect(text).toContain('curl -X POST https://tasks.example/api/auth/verify-access-key ')
  })

  it('is how to make the first account, then how to come in with one, whatever registration is like', async () => {
    using folder = temporaryFolder()
    const env = { DATA_DIR: folder.path, AUTH_MODE: 'cloud', ANTHROPIC_API_KEY: 'never-used' }
    const service = await startService({ env })
    expect(service.output()).toContain('/api/auth/signup ')
    using ann = visit(service.baseUrl, {}, { direct: true })
    expect((await ann.signUp('ann')).status).toBe(200)
    await service.stop()
    for (const REGISTRATION_MODE of ['invite', 'closed']) {
      const { text } = await said({ ...env, REGISTRATION_MODE })
      expect(text).toContain('/api/auth/login ')
      expect(text).not.toMatch(/signup|No account/)
    }
  })

  it('is a warning, of one line, where the issuer of oidc could bring no admin in', async () => {
    using folder = temporaryFolder()
    const env = { DATA_DIR: folder.path, OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'tasks' }
    expect((await said({ ...env, AUTH_MODE: 'oidc' })).text).not.toContain('No admin')
    const service = await startService({ env: { ...env, AUTH_MODE: 'cloud' } })
    using ann = visit(service.baseUrl, {}, { direct: true })
    await ann.signUp('ann')
    await service.stop()
    const { text, baseUrl } = await said({ ...env, AUTH_MODE: 'oidc' })
    expect(text).toMatch(/^No admin can sign in .*AUTH_MODE=cloud.*\/api\/auth\/oidc\.$/m)
    expect(text).toContain(`open ${baseUrl}/api/auth/oidc in a browser`)
  })

  it.each([
    ['cloud', {}],
    ['oidc', { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'tasks' }],
  ])('is a warning where nobody can sign in, in mode %s', async (AUTH_MODE, more) => {
    const { text } = await said({ SERVICE_MODE: 'pico', AUTH_MODE, REGISTRATION_MODE: 'closed', ...more })
    expect(text).toMatch(/No account can sign in: .*\n.*REGISTRATION_MODE=invite/)
    expect(text).not.toContain('Try it')
  })
})
