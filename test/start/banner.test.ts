import { describe, expect, it } from '@jest/globals'
import { openLocalApp } from '../../lib/app/local.ts'
import { banner } from '../../lib/app/start-up.ts'
import { readConfig } from '../../lib/config/config.ts'
import { visit } from '../accounts/visitor.ts'
import { openService } from '../journeys/opened-service.ts'
import { type Environment, startService, temporaryFolder } from '../journeys/service.ts'

const key = { ANTHROPIC_API_KEY: 'never-used' }

/** The banner of a start that is made in this process; the first test sees that the program prints it. */
const said = async (env: Environment) => {
  const app = await openLocalApp(readConfig({ ...key, ...env }))
  try {
    return banner({ ...app.facts, signIn: await app.signIn(), url: 'http://127.0.0.1:3000' })
  } finally {
    await app.close()
  }
}

/** Leaves an account in a data folder. */
const signUp = async (env: Environment) => {
  expect(await said({ ...env, AUTH_MODE: 'cloud' })).toContain('/api/auth/signup ')
  await using service = await openService({ ...env, AUTH_MODE: 'cloud' })
  using ann = visit(service.baseUrl, {}, { direct: true })
  expect((await ann.signUp('ann')).status).toBe(200)
}

describe('what a service says on a terminal when it has started', () => {
  const facts = {
    url: 'http://127.0.0.1:3000',
    mode: 'mini',
    version: '1.0.0',
    model: { provider: 'anthropic', model: 'claude-sonnet-5' },
    data: '.data',
    onTerminal: true,
  }
  const real = { providers: [{}], agents: ['coding-agent'] }
  const KEY = 'No model key yet. Add one at http://127.0.0.1:3000/settings/models'
  const PROGRAM = 'To install Claude Code, Codex and other agents, see http://127.0.0.1:3000/agents'

  it.each<[string, Partial<Parameters<typeof banner>[0]>, string[], string[]]>([
    ['a model and an agent', {}, [], [KEY, PROGRAM, 'No agent']],
    ['no key and no other agent', { providers: [{ demo: true }] }, [KEY, PROGRAM], ['No agent is']],
    [
      'no key, and a program',
      { providers: [{ demo: true }], agents: ['coding-agent', 'claude-code'] },
      [KEY],
      [PROGRAM],
    ],
    ['no agent', { agents: [] }, ['No agent is set up, so tasks wait.'], [KEY, PROGRAM]],
  ])('is the address to open, and with %s what is missing', (_, given, expected, others) => {
    const text = banner({ ...facts, ...real, ...given })
    expect(text).toContain('\nOpen http://127.0.0.1:3000 in a browser.\n')
    for (const line of expected) expect(text).toContain(line)
    for (const line of others) expect(text).not.toContain(line)
    expect(banner({ ...facts, ...real, ...given, onTerminal: false })).not.toMatch(/^(?:Open|No) /m)
  })

  it('names no agents where runners run the tasks, but how to start one', () => {
    const text = banner({ ...facts, ...real, providers: [{ demo: true }], worker: 'off' })
    expect(text).toContain('\n  tasks   run on runners (WORKER=off)\n  chat    scripted demo model')
    expect(text).toContain(
      '\n  RUNNER_TOKEN=svc_… npx agent-tasks runner --url http://127.0.0.1:3000 --name build-1\n',
    )
    expect(text).not.toMatch(/coding-agent|^ {2}(?:model|agents) |No model key yet/m)
  })

  it('names the address that people use', () => {
    expect(banner({ ...facts, ...real, publicUrl: 'https://tasks.example' })).toContain(
      'Open https://tasks.example in a browser.',
    )
  })
})

describe('what a service says when it has started', () => {
  it('is where it listens and, to try, the address that people use', async () => {
    const PUBLIC_URL = 'https://tasks.example/'
    const env = { ...key, SERVICE_MODE: 'pico', ACCESS_KEY: 'open sesame', PUBLIC_URL }
    await using service = await startService({ env })
    const text = service.output()
    expect(text).toContain(` on ${service.baseUrl}, mode pico\n  public  https://tasks.example\n`)
    expect(text).toContain('curl -X POST https://tasks.example/api/auth/verify-access-key ')
  })

  it('is how to make the first account, then how to come in with one, whatever registration is like', async () => {
    using folder = temporaryFolder()
    const env = { DATA_DIR: folder.path, AUTH_MODE: 'cloud' }
    await signUp(env)
    for (const REGISTRATION_MODE of ['invite', 'closed']) {
      const text = await said({ ...env, REGISTRATION_MODE })
      expect(text).toContain('/api/auth/login ')
      expect(text).not.toMatch(/signup|No one can/)
    }
  })

  it('is a warning, of one line, where the issuer of oidc could bring no admin in', async () => {
    using folder = temporaryFolder()
    const env = { DATA_DIR: folder.path, OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'tasks' }
    expect(await said({ ...env, AUTH_MODE: 'oidc' })).not.toContain('No admin')
    await signUp(env)
    const text = await said({ ...env, AUTH_MODE: 'oidc' })
    expect(text).toMatch(/^No admin can sign in .*AUTH_MODE=cloud.*\/api\/auth\/oidc\.$/m)
    expect(text).toContain('open http://127.0.0.1:3000/api/auth/oidc in a browser')
  })

  it.each([
    ['cloud', {}],
    ['oidc', { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'tasks' }],
  ])('is a warning where nobody can sign in, in mode %s', async (AUTH_MODE, more) => {
    const text = await said({ SERVICE_MODE: 'pico', AUTH_MODE, REGISTRATION_MODE: 'closed', ...more })
    expect(text).toMatch(/No one can sign in: .*\n.*REGISTRATION_MODE=invite/)
    expect(text).not.toContain('Try it')
  })
})
