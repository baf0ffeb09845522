import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createFakeClock } from '../../fakes/clock.ts'
import { until } from '../../fakes/until.ts'
import type { Act } from '../../fixtures/command/agent.ts'
import { type CommandRuns, openCommandRuns, parse, print, type RunOptions } from './command-runs.ts'

let commands: CommandRuns
const open: CommandRuns['open'] = (...given) => commands.open(...given)
beforeAll(async () => {
  commands = await openCommandRuns()
})
afterAll(() => commands[Symbol.asyncDispose]())

describe('the end of a command', () => {
  const done = '{"type":"result","subtype":"success","is_error":false,"result":"Done."}\n'

  it('ends one that is silent', async () => {
    const clock = createFakeClock()
    const { result, observed } = open([print('Begun.'), { act: 'wait', ms: 3_600_000 }], { clock })
    await until(() => observed.length > 0)
    clock.advance(600_000)
    await expect(result).rejects.toMatchObject({ code: 'agent_silent' })
  })

  it.each<[string, RunOptions, Act[]]>([
    ['after its result', parse('claude'), [print(done)]],
    ['after the end of its output', parse('text'), [print('Done.'), { act: 'closeOutput' }]],
  ])('ends one that stays %s', async (_title, options, script) => {
    const clock = createFakeClock()
    const { result } = open([...script, { act: 'wait', ms: 3_600_000 }], { ...options, clock })
    let isOver = false
    result.then(() => {
      isOver = true
    })
    while (!isOver) {
      await sleep(20)
      clock.advance(1_000)
    }
    expect(await result).toMatchObject({ success: true, output: 'Done.' })
  })
})
