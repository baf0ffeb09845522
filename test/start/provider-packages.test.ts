import { describe, expect, it } from '@jest/globals'
import { PROVIDER_KINDS } from '../../lib/config/families.ts'
import { forEachTest } from '../fakes/lifetimes.ts'
import { chunk, DONE, events, startWire } from '../fakes/model-wire.ts'
import { startService } from '../journeys/service.ts'

/** Says which packages of models a process loads, when it does. */
const watching = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  const resolve = (name, context, next) => {
    if (/^(ai$|@ai-sdk\\/)/.test(name)) process.stderr.write('loaded:' + name + '\\n')
    return next(name, context)
  }
  registerHooks({ resolve })
`)}`

const loadedBy = (output: string): string[] =>
  [...new Set([...output.matchAll(/^loaded:(.*)$/gm)].map(([, name = '']) => name))].sort()

const wire = forEachTest(
  () => startWire(events(chunk({ content: 'Done.' }), chunk({}, 'stop'), DONE)),
  ({ close }) => close(),
)

/** What is asked of a provider's models loads its package and what the package needs, and no other provider's. */
const ofFireworks = [
  '@ai-sdk/fireworks',
  '@ai-sdk/openai-compatible',
  '@ai-sdk/provider',
  '@ai-sdk/provider-utils',
]

describe('the packages of providers', () => {
  it('are loaded by no start, and by the first step only those of its provider', async () => {
    const keys = PROVIDER_KINDS.map((kind) => [`${kind.toUpperCase()}_API_KEY`, 'planted-never-used'])
    const env = {
      ...Object.fromEntries(keys),
      AZURE_BASE_URL: 'http://127.0.0.1:9/v1',
      FIREWORKS_BASE_URL: `${wire().origin}/v1`,
      DEFAULT_PROVIDER: 'fireworks',
      SERVICE_MODE: 'pico',
    }
    await using service = await startService({ env, nodeArgs: ['--import', watching] })
    expect(loadedBy(service.output())).toEqual([])
    const body = JSON.stringify({ title: 'Hello', prompt: 'Say so' })
    const headers = { 'content-type': 'application/json' }
    await fetch(`${service.baseUrl}/api/tasks`, { method: 'POST', headers, body })
    while (wire().heard.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    await wire().heard[0]?.closed
    const ofAll = ['@ai-sdk/gateway', 'ai']
    const loaded = loadedBy(service.output())
    expect(loaded.filter((name) => !ofAll.includes(name))).toEqual(ofFireworks)
    expect(loaded).toContain('ai')
  })
})
