import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { createBreakers } from '../../lib/adapters/node/breakers.ts'
import { createCipher } from '../../lib/adapters/node/cipher.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { openSqliteStore, type SqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { openAgentHost } from '../../lib/app/agents.ts'
import { openOutside } from '../../lib/app/outside.ts'
import { collections } from '../../lib/collections.ts'
import { readConfig } from '../../lib/config/config.ts'
import { createMasker } from '../../lib/core/masker.ts'
import { createStoredKeys } from '../../lib/model-keys/stored-keys.ts'
import { noProviderLimits } from '../../lib/ports/provider-limits.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeLog } from '../fakes/log.ts'
import { temporaryFolder } from '../journeys/service.ts'

const NONE = 'no model provider is configured, and a deployed service has no demo model'

let store: SqliteStore
const closers: (() => Promise<void>)[] = []
let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => {
  folder = temporaryFolder()
  store = openSqliteStore({ file: ':memory:', clock: createFakeClock(), collections })
})
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()))
  await store.close()
  folder[Symbol.dispose]()
})

const key = entropy(32)

/** A function of mode `pro` that calls models, beside others that share its storage. */
const openFunction = async (env: Record<string, string>, requiresModel: boolean) => {
  const config = readConfig({ SERVICE_MODE: 'pro', AGENT_SANDBOX: 'off', ...env })
  const [clock, log, masker] = [createFakeClock(), createFakeLog(), createMasker([])]
  const cipher = createCipher({ keys: () => [key], entropy })
  const modelKeys = createStoredKeys({ processes: 'many', store, cipher, clock, entropy, masker })
  const outside = openOutside(config, { clock, log })
  const host = await openAgentHost({
    ...outside,
    breakers: createBreakers({ clock, isFault: () => true }),
    config,
    clock,
    log,
    masker,
    modelKeys,
    requiresModel,
    limits: noProviderLimits,
    workspacesDir: folder.path,
  })
  closers.push(host.close)
  return { ...host, modelKeys, clock, masker }
}

describe('the models of a deployed function', () => {
  it.each([
    ['of the worker, without any key, do not open', {}, true, false, NONE],
    ['of the worker open with a stored key', {}, true, true, 'anthropic'],
    ['of the worker open with one of the environment', { OPENAI_API_KEY: 'k' }, true, false, 'openai'],
    ['of the streaming function open without any, where keys are stored', {}, false, false, 'none'],
    ['of the streaming function open with a stored key', {}, false, true, 'anthropic'],
  ] as const)('%s', async (_, env, requiresModel, isStored, expected) => {
    const first = await openFunction({ OPENAI_API_KEY: 'k' }, false)
    if (isStored) await first.modelKeys.set('anthropic', 'sk-ant-example')
    const opening = openFunction(env, requiresModel)
    if (expected === NONE) return expect(opening).rejects.toThrow(NONE)
    const { models } = await opening
    const configured = models.providers().filter((one) => one.configured)
    expect(configured.map(({ type }) => type)).toEqual(expected === 'none' ? [] : [expected])
    if (expected === 'none') expect(() => models.resolve({})).toThrow('An admin can add a key')
  })

  it('know of a key that another function stored or removed after two seconds, and mask it', async () => {
    const [here, there] = [await openFunction({}, false), await openFunction({}, false)]
    const types = () =>
      here.models.providers().flatMap(({ type, keyFrom }) => (keyFrom ? [type, keyFrom] : []))
    await there.modelKeys.set('anthropic', 'sk-ant-example')
    await here.modelKeys.refresh()
    expect(types()).toEqual([])
    here.clock.advance(2_000)
    await here.modelKeys.refresh()
    expect(types()).toEqual(['anthropic', 'stored'])
    expect(here.masker.text('the key sk-ant-example')).not.toContain('sk-ant-example')
    await there.modelKeys.remove('anthropic')
    here.clock.advance(2_000)
    await here.modelKeys.refresh()
    expect(types()).toEqual([])
    expect(here.masker.text('the key sk-ant-example')).toContain('sk-ant-example')
  })

  it('go without a stored key that cannot be opened', async () => {
    const { modelKeys } = await openFunction({}, false)
    await modelKeys.set('anthropic', 'sk-ant-example')
    const other = createStoredKeys({
      processes: 'one',
      store,
      cipher: createCipher({ keys: () => [entropy(32)], entropy }),
      clock: createFakeClock(),
      entropy,
      masker: createMasker([]),
    })
    await other.refresh()
    expect([other.current(), await other.readMasked()]).toEqual([{}, { anthropic: 'sk-********' }])
  })
})
