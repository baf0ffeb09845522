import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { openCloud } from '../../lib/app/cloud.ts'
import { readConfig } from '../../lib/config/config.ts'
import { hasDynoxide } from '../../offline/emulators.ts'
import { startCloud } from '../deploy/cloud.ts'
import { startWire, status, type Wire } from '../fakes/model-wire.ts'

if (!hasDynoxide()) process.stderr.write('SKIPPED: this emulator of DynamoDB knows no transactions\n')

let cloud: Awaited<ReturnType<typeof startCloud>>
let environment: Awaited<ReturnType<(typeof cloud)['openEnvironment']>>
let wire: Wire

/** Memory as a function has it that has just started. */
const started = async () =>
  (await openCloud(readConfig({ ...process.env, EMBEDDING_MODEL: 'openai/m' }))).memory

const embeddings = (texts: readonly string[]) =>
  texts.map((text, index) => ({
    object: 'embedding',
    index,
    embedding: /car|vehicle/i.test(text) ? [1, 0] : [0, 1],
  }))

const suite = hasDynoxide() ? describe : describe.skip
suite('memory in the cloud with an embedding model', () => {
  beforeAll(async () => {
    wire = await startWire((res, { body }) =>
      status(200, {
        object: 'list',
        model: 'm',
        usage: { prompt_tokens: 1, total_tokens: 1 },
        data: embeddings(body.input),
      })(res, {} as never),
    )
    // The key is a parameter that no function has in its environment.
    cloud = await startCloud({ OPENAI_API_KEY: 'sk-memory-test', OPENAI_BASE_URL: `${wire.origin}/v1` })
    environment = await cloud.openEnvironment()
    Object.assign(process.env, environment.env)
  })
  afterAll(async () => {
    environment?.stop()
    await cloud?.stop()
    await wire?.close()
  })

  it('finds by meaning in a function that has just started, by the key among the parameters of the worker', async () => {
    await cloud.putFile('garage.md', '# Garage\n\nOur vehicle is red.')
    await cloud.putFile('kitchen.md', '# Kitchen\n\nThe oven is hot.')
    expect(await (await started()).sync()).toEqual({ synced: 2, added: 2, updated: 0, removed: 0 })
    const { method, chunks } = await (await started()).search({ query: 'which car', maxResults: 1 })
    expect([method, chunks[0]?.path, chunks[0]?.foundBy]).toEqual(['hybrid', 'garage.md', ['meaning']])
    expect(wire.heard[0]?.headers.authorization).toBe('Bearer sk-memory-test')
    const asked = wire.heard.length
    await cloud.putFile('cars/garage.md', '# Garage\n\nOur vehicle is red.')
    await (await started()).syncIfChanged()
    expect(wire.heard).toHaveLength(asked)
  })
})
