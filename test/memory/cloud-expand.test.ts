import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { hasDynoxide } from '../../offline/emulators.ts'
import { startCloud } from '../deploy/cloud.ts'
import { loadFunctions } from '../deploy/functions.ts'
import { startProgram } from '../deploy/program.ts'
import { saying, startWire, status, type Wire } from '../fakes/model-wire.ts'

if (!hasDynoxide()) process.stderr.write('SKIPPED: this emulator of DynamoDB knows no transactions\n')

let cloud: Awaited<ReturnType<typeof startCloud>>
let functions: ReturnType<typeof loadFunctions>
let environment: Awaited<ReturnType<(typeof cloud)['openEnvironment']>>
let wire: Wire

/** Searches by the streaming function, as the distribution has it where `memoryExpand` is on. */
const searched = async (models: Record<string, string>) => {
  const program = await startProgram(['functions/agentic/server.ts'], {
    ...environment.env,
    AUTH_MODE: 'local',
    MEMORY_EXPAND: 'on',
    ...models,
  })
  try {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } }
    const answer = await fetch(`${program.url}/api/memory/search`, { ...init, body: '{"query":"car"}' })
    const { method, chunks = [] } = (await answer.json()) as {
      method: string
      chunks?: { path: string; foundBy: string[] }[]
    }
    return { status: answer.status, method, found: chunks.map(({ path, foundBy }) => [path, ...foundBy]) }
  } finally {
    await program.stop()
  }
}

const suite = hasDynoxide() ? describe : describe.skip
suite('the search of memory in the cloud with MEMORY_EXPAND=on', () => {
  beforeAll(async () => {
    wire = await startWire((res, heard) =>
      heard.method === 'GET'
        ? status(200, { object: 'list', data: [] })(res, heard)
        : saying('vehicle')(res, heard),
    )
    cloud = await startCloud()
    functions = loadFunctions(cloud)
    environment = await cloud.openEnvironment()
    await cloud.putFile('garage.md', '# Garage\n\nOur vehicle is red.')
    await cloud.putFile('kitchen.md', '# Kitchen\n\nThe car of the cook is hot.')
    await functions.feedTexts('memory', 'memory-events', '{}')
  })
  afterAll(async () => {
    functions?.stop()
    environment?.stop()
    await cloud?.stop()
    await wire?.close()
  })

  it('finds what has the words of a model, by the function that calls models', async () => {
    const models = { OLLAMA_BASE_URL: `${wire.origin}/v1`, OLLAMA_MODEL: 'm' }
    const { found, ...rest } = await searched(models)
    expect(rest).toEqual({ status: 200, method: 'lexical' })
    expect(found.toSorted()).toEqual([
      ['garage.md', 'expansion'],
      ['kitchen.md', 'words'],
    ])
  })

  it('goes by the words of the question where no model can be called', async () => {
    expect(await searched({ DEFAULT_PROVIDER: 'openai' })).toEqual({
      status: 200,
      method: 'lexical',
      found: [['kitchen.md', 'words']],
    })
  })
})
