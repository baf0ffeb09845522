import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { openedWithSecrets, SECRETS_AGE_MS } from '../../lib/app/cloud-secrets.ts'
import { readConfig } from '../../lib/config/config.ts'
import { startSsm } from '../adapters/aws/ssm.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { httpEvent } from '../fakes/http-event.ts'
import { startProvider, type TestProvider } from '../oauth/provider.ts'
import { SECRETS, secretEnv, signedHeaders } from '../webhooks/signed.ts'
import { startCloud } from './cloud.ts'
import { type Functions, loadFunctions } from './functions.ts'

describe('the function that people sign in with', () => {
  let provider: TestProvider
  let cloud: Awaited<ReturnType<typeof startCloud>>
  let functions: Functions
  beforeAll(async () => {
    provider = await startProvider()
    cloud = await startCloud(provider.env())
    functions = loadFunctions(cloud)
  })
  afterAll(async () => {
    functions?.stop()
    await cloud?.stop()
    await provider?.[Symbol.asyncDispose]()
  })
  const ssmUses = () => functions.notedUses('auth').filter((use) => use.startsWith('ssm:'))

  it('reads the secrets of providers when it needs them, and tells by them what is configured', async () => {
    const body = { email: 'ann@example.com', password: 'correct horse 1', name: 'Ann' }
    await functions.ask('auth', 'POST /api/auth/signup', body)
    expect(ssmUses()).toEqual([])
    const { statusCode, headers } = await functions.ask('auth', 'GET /api/auth/codehost')
    expect(statusCode).toBe(302)
    expect(headers.location).toContain('client_id=the-client')
    expect(ssmUses()).toEqual(['ssm:GetParametersByPath'])
    const me = await functions.invoke('auth', httpEvent('GET /api/auth/me'))
    expect(me.statusCode).toBe(401)
    expect(JSON.parse(String(me.body)).providers).toContainEqual({ name: 'codehost', signsIn: true })
  })
})

describe('settings that are kept in SSM', () => {
  const NAME = '/t/CODEHOST_CLIENT_SECRET'
  const [WITH, WITHOUT]: Record<string, string>[] = [{ SECRETS_PATH: '/t' }, {}]
  /** Opened by the secret that is stored; `store` changes it. */
  const open = async (env = WITH) => {
    const parameters: { Name: string; Value: string }[] = [{ Name: NAME, Value: 'first' }]
    const ssm = await startSsm([parameters])
    const credentials = { AWS_ACCESS_KEY_ID: 'none', AWS_SECRET_ACCESS_KEY: 'none' }
    Object.assign(process.env, { ...credentials, AWS_ENDPOINT_URL_SSM: ssm.endpoint })
    const clock = createFakeClock()
    const state = { isBusy: false, opened: 0 }
    const there = openedWithSecrets(
      ({ accounts }) => {
        state.opened += 1
        if (accounts.codehost.clientSecret === 'bad') throw new Error('cannot be opened')
        return { secret: accounts.codehost.clientSecret }
      },
      { settings: () => readConfig({ SERVICE_MODE: 'pro', ...env }), clock, isBusy: () => state.isBusy },
    )
    const store = (Value: string) => parameters.splice(0, 1, { Name: NAME, Value })
    return { ...ssm, there, store, clock, state }
  }
  const MINUTES = 60_000

  it('come to those of the environment, where the deployment says where they are', async () => {
    const { there, stop, asked, state } = await open()
    expect(await Promise.all([there(), there()])).toEqual([{ secret: 'first' }, { secret: 'first' }])
    expect({ asked: asked.length, opened: state.opened }).toEqual({ asked: 1, opened: 1 })
    stop()
  })

  it('are asked for nowhere else', async () => {
    const { there, asked, clock, stop } = await open(WITHOUT)
    expect(await there()).toEqual({ secret: undefined })
    clock.advance(60 * MINUTES)
    await there()
    expect(asked).toEqual([])
    stop()
  })

  it('are unavailable when SSM is, and asked for again by the next call', async () => {
    const { there, stop } = await open()
    stop()
    const problem = { kind: 'unavailable', code: 'secrets_unavailable' }
    await expect(there()).rejects.toMatchObject(problem)
    const again = await open()
    expect(await there()).toEqual({ secret: 'first' })
    again.stop()
  })

  it('are read again after 5 minutes, and what stands on them is opened anew where they differ', async () => {
    const { there, store, clock, stop, state } = await open()
    const first = await there()
    store('second')
    clock.advance(5 * MINUTES - 1)
    expect(await there()).toBe(first)
    clock.advance(1)
    const [second, same] = await Promise.all([there(), there()])
    expect(second).toEqual({ secret: 'second' })
    expect(same).toBe(second)
    clock.advance(5 * MINUTES)
    expect(await there()).toBe(second)
    expect(state.opened).toBe(2)
    stop()
  })

  it('stay as they are while work goes on that stands on them', async () => {
    const { there, store, clock, stop, state } = await open()
    await there()
    store('second')
    clock.advance(60 * MINUTES)
    state.isBusy = true
    expect(await there()).toEqual({ secret: 'first' })
    state.isBusy = false
    expect(await there()).toEqual({ secret: 'second' })
    stop()
  })

  it('stay as they are where new ones are of no use, or SSM does not answer', async () => {
    const { there, store, clock, stop } = await open()
    await there()
    store('bad')
    clock.advance(5 * MINUTES)
    expect(await there()).toEqual({ secret: 'first' })
    store('good')
    clock.advance(1 * MINUTES)
    expect(await there()).toEqual({ secret: 'good' })
    stop()
    clock.advance(5 * MINUTES)
    expect(await there()).toEqual({ secret: 'good' })
  })
})

describe('the function that webhooks come to', () => {
  let cloud: Awaited<ReturnType<typeof startCloud>>
  let functions: Functions
  beforeAll(async () => {
    cloud = await startCloud(secretEnv)
    functions = loadFunctions(cloud)
  })
  afterAll(async () => {
    functions?.stop()
    await cloud?.stop()
  })
  afterEach(() => {
    jest.restoreAllMocks()
  })

  /** What a delivery that was signed so is answered. */
  const pingStatus = async (secret: string): Promise<number> => {
    const body = JSON.stringify({ zen: secret })
    const headers = signedHeaders({
      sender: 'codehost',
      event: 'ping',
      delivery: `by ${secret}`,
      secret,
      body,
    })
    return (await functions.invoke('webhooks', httpEvent('POST /api/webhooks/codehost', body, headers)))
      .statusCode
  }

  it('knows what is signed with a new secret 5 minutes after it was stored, in the same process', async () => {
    const { codehost: old } = SECRETS
    const fresh = 'the new secret of the code host'
    const start = Date.now()
    const now = jest.spyOn(Date, 'now').mockReturnValue(start)
    expect([await pingStatus(old), await pingStatus(fresh)]).toEqual([200, 403])
    cloud.changeSecret('CODEHOST_WEBHOOK_SECRET', fresh)
    expect(await pingStatus(fresh)).toBe(403)
    now.mockReturnValue(start + SECRETS_AGE_MS)
    expect([await pingStatus(fresh), await pingStatus(old)]).toEqual([200, 403])
  })
})
