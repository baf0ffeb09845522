import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createFakeClock } from '../../fakes/clock.ts'
import { countSleeping } from '../../fakes/sleeping-processes.ts'
import { until } from '../../fakes/until.ts'
import type { Act } from '../../fixtures/acp/agent.ts'
import { type AcpRuns, openAcpRuns, openModels, PROJECT, untilOver, write } from './acp-runs.ts'

let acp: AcpRuns
const open: AcpRuns['open'] = (...given) => acp.open(...given)
beforeAll(async () => {
  acp = await openAcpRuns()
})
afterAll(() => acp[Symbol.asyncDispose]())

describe('the end of an agent over ACP', () => {
  it.each<[string, Act[]]>([
    ['with a permission open', [write({ ask: true, kind: 'execute' })]],
    ['deaf to it', [{ act: 'ignoreCancel' }, { act: 'wait', ms: 60_000 }]],
  ])('stops, and leaves no process: %s', (_title, script) => acp.expectStop(script))

  it('ends what left its group after a turn that is done', async () => {
    const mark = acp.sleepMark()
    const script: Act[] = [
      { act: 'leave', text: `sleep ${mark}` },
      { act: 'say', text: 'Done.' },
    ]
    expect(await open(script, { on: acp.sandboxed, program: { reads: [PROJECT] } }).result).toMatchObject({
      success: true,
    })
    await until(() => countSleeping(mark) === 0)
  })

  it.each<[string, string, Act[], number, string]>([
    ['no handshake', 'silent-start', [], 60_000, 'agent_start_timeout'],
    ['no sign of life', 'normal', [{ act: 'wait', ms: 3_600_000 }], 600_000, 'agent_silent'],
  ])('ends one that gives %s', async (_title, start, script, ms, code) => {
    const clock = createFakeClock()
    const { result, observed, progress } = open([{ act: 'say', text: 'Begun.' }, ...script], { start, clock })
    await until(() =>
      script.length > 0 ? observed.length > 0 : progress.some((line) => line.startsWith('Starting')),
    )
    await until(() => clock.pending > 0)
    clock.advance(ms)
    await untilOver(result, clock)
    await expect(result).rejects.toMatchObject({ code })
  })

  it('ends one that stays after its answer', async () => {
    const clock = createFakeClock()
    const { result, observed } = open([{ act: 'say', text: 'Done.' }], { start: 'stays', clock })
    await until(() => observed.length > 0)
    await untilOver(result, clock)
    expect(await result).toMatchObject({ success: true, output: 'Done.' })
  })

  it('ends one that does not end at its limit', async () => {
    await using models = await openModels()
    const clock = createFakeClock()
    const needs = { brokered: models.brokered }
    const script: Act[] = [
      { act: 'model' },
      { act: 'model' },
      { act: 'ignoreCancel' },
      { act: 'wait', ms: 3_600_000 },
    ]
    const { result, observed } = open(script, { needs, clock, costLimitUsd: 1 })
    await until(() => observed.filter(({ type }) => type === 'text').length === 2)
    await untilOver(result, clock)
    await expect(result).rejects.toMatchObject({ code: 'cost_limit_reached' })
  })

  it('ends one that goes on over the limit by its own account', async () => {
    const clock = createFakeClock()
    const script: Act[] = [
      { act: 'cost', usd: 2 },
      { act: 'say', text: 'More.' },
      { act: 'wait', ms: 3_600_000 },
    ]
    const { result, observed } = open(script, { clock, costLimitUsd: 1 })
    await until(() => observed.some(({ type }) => type === 'text'))
    await untilOver(result, clock)
    await expect(result).rejects.toMatchObject({ code: 'cost_limit_reached' })
  })
})
