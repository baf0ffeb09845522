import { afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { createProviderCheck } from '../../lib/app/cloud-agents.ts'
import { readConfig } from '../../lib/config/config.ts'
import { startSsm } from '../adapters/aws/ssm.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { printStage, type Service } from './serverless.ts'
import { policyStatements } from './template.ts'

let service: Service
beforeAll(() => {
  service = printStage('dev')
})

const PATH = '/agent-task-service/dev/worker'
const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** What a deployed function that is not the worker knows, with these parameters below the path. */
const open = async (stored: readonly string[], env: Record<string, string> = { SECRETS_PATH: PATH }) => {
  const parameters = stored.map((name) => ({ Name: `${PATH}/${name}` }))
  const ssm = await startSsm([parameters])
  stops.push(ssm.stop)
  const credentials = { AWS_ACCESS_KEY_ID: 'none', AWS_SECRET_ACCESS_KEY: 'none' }
  Object.assign(process.env, { ...credentials, AWS_ENDPOINT_URL_SSM: ssm.endpoint })
  const clock = createFakeClock()
  const check = createProviderCheck(readConfig({ SERVICE_MODE: 'pro', ...env }), clock)
  return { ...check, clock, ssm, parameters }
}

describe('whether a deployed worker has a model provider', () => {
  it.each([
    [['ANTHROPIC_API_KEY'], true],
    [['OLLAMA_BASE_URL', 'LOG_LEVEL'], true],
    [['LOG_LEVEL', 'OLLAMA_CONTEXT_TOKENS'], false],
    [[], false],
  ])('is told by the names of its parameters: %j', async (stored, configured) => {
    const check = await open(stored)
    expect(check.configured()).toBe(false)
    await check.look()
    expect(check.configured()).toBe(configured)
  })

  it('is looked up once a minute, so that a key that was stored or removed shows', async () => {
    const check = await open([])
    for (let times = 0; times < 3; times += 1) await check.look()
    expect(check.ssm.asked).toHaveLength(1)
    check.parameters.push({ Name: `${PATH}/OPENAI_API_KEY` })
    check.clock.advance(60_000)
    await check.look()
    expect(check.configured()).toBe(true)
    check.parameters.pop()
    check.clock.advance(60_000)
    await check.look()
    expect(check.configured()).toBe(false)
  })

  it('needs no look where the settings of all functions name one, nor on emulators', async () => {
    for (const env of [{ OPENAI_API_KEY: 'k' }, { DYNAMODB_ENDPOINT: 'http://127.0.0.1:9' }]) {
      const check = await open([], { SECRETS_PATH: PATH, ...env })
      await check.look()
      expect(check.configured()).toBe(true)
      expect(check.ssm.asked).toEqual([])
    }
  })

  it('is told by a key that an admin has stored, at once and without opening it', async () => {
    const ssm = await startSsm([[]])
    stops.push(ssm.stop)
    process.env.AWS_ENDPOINT_URL_SSM = ssm.endpoint
    let isAnyStored = false
    const check = createProviderCheck(readConfig({ SERVICE_MODE: 'pro' }), createFakeClock(), {
      isAnyStored: async () => isAnyStored,
    })
    for (const expected of [false, true, false]) {
      isAnyStored = expected
      await check.look()
      expect(check.configured()).toBe(expected)
    }
  })

  it('is not told by the size of a context window', async () => {
    const check = await open([], { SECRETS_PATH: PATH, OLLAMA_CONTEXT_TOKENS: '4096' })
    await check.look()
    expect([check.configured(), check.ssm.asked.length]).toEqual([false, 1])
  })

  it('is unknown when SSM cannot be asked, and asked again by the next look', async () => {
    const check = await open(['OPENAI_API_KEY'])
    check.ssm.stop()
    await expect(check.look()).rejects.toThrow()
    expect(check.configured()).toBe(false)
    const again = await startSsm([[{ Name: `${PATH}/OPENAI_API_KEY` }]])
    stops.push(again.stop)
    process.env.AWS_ENDPOINT_URL_SSM = again.endpoint
    await check.look()
    expect(check.configured()).toBe(true)
  })

  it('is looked up by the function that tells it, with a right that shows no value', async () => {
    const { look, ssm } = await open(['OPENAI_API_KEY'])
    await look()
    const used = [...new Set(ssm.asked.map(({ action }) => `ssm:${action}`))]
    const allowed = policyStatements(service.resources, 'AgentsRole').flatMap(({ Action }) => Action)
    expect(allowed.filter((action) => action.startsWith('ssm:'))).toEqual(used)
    const [agents, worker] = ['agents', 'worker'].map((name) => service.functions[name]?.environment)
    expect(agents?.SECRETS_PATH).toBe(worker?.SECRETS_PATH)
  })
})
