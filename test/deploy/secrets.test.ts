import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { withSecrets } from '../../lib/app/cloud-ports.ts'
import { readConfig } from '../../lib/config.ts'
import { startSsm } from '../adapters/aws/ssm.ts'
import { startProvider, type TestProvider } from '../oauth/provider.ts'
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
  const asked = () => functions.usesOf('auth').filter((use) => use.startsWith('ssm:'))

  it('reads the secrets of providers at the first sign-in with one, and not before', async () => {
    const body = { email: 'ann@example.com', password: 'correct horse 1', name: 'Ann' }
    await functions.ask('auth', 'POST /api/auth/signup', body)
    expect(asked()).toEqual([])
    const { statusCode, headers } = await functions.ask('auth', 'GET /api/auth/codehost')
    expect(statusCode).toBe(302)
    expect(headers.location).toContain('client_id=the-client')
    expect(asked()).toEqual(['ssm:GetParametersByPath'])
  })
})

describe('settings that are kept in SSM', () => {
  const given = (env: Record<string, string> = {}) => readConfig({ SERVICE_MODE: 'pro', ...env })
  const open = async () => {
    const ssm = await startSsm([[{ Name: '/t/CODEHOST_CLIENT_SECRET', Value: 'CANARY' }]])
    const credentials = { AWS_ACCESS_KEY_ID: 'none', AWS_SECRET_ACCESS_KEY: 'none' }
    Object.assign(process.env, { ...credentials, AWS_ENDPOINT_URL_SSM: ssm.endpoint })
    return ssm
  }

  it('come to those of the environment, where the deployment says where they are', async () => {
    const ssm = await open()
    expect((await withSecrets(given({ SECRETS_PATH: '/t' }))).accounts.codehost.clientSecret).toBe('CANARY')
    ssm.stop()
  })

  it('are asked for nowhere else', async () => {
    const ssm = await open()
    const config = given()
    expect(await withSecrets(config)).toBe(config)
    expect(ssm.asked).toEqual([])
    ssm.stop()
  })

  it('are unavailable when SSM is', async () => {
    const ssm = await open()
    ssm.stop()
    await expect(withSecrets(given({ SECRETS_PATH: '/t' }))).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'secrets_unavailable',
    })
  })
})
