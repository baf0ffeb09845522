import { describe, expect, it } from '@jest/globals'
import { fitsService, type Offer, offerFits, reasonNoneFits } from '../../lib/runners/offers.ts'

const offer = (agents: string, labels = ''): Offer => ({
  name: 'r',
  agents: agents.split(' '),
  labels: labels === '' ? [] : labels.split(' '),
})

describe('offers of runners', () => {
  it.each<[string, readonly Offer[], string, string[] | undefined, string | undefined]>([
    ['the agent', [offer('codex')], 'codex', undefined, undefined],
    ['more labels than are asked', [offer('codex', 'gpu linux')], 'codex', ['gpu'], undefined],
    ['a label that is asked twice', [offer('codex', 'gpu')], 'codex', ['gpu', 'gpu'], undefined],
    ['no labels, none asked', [offer('codex')], 'codex', [], undefined],
    ['nothing: there is none', [], 'codex', ['gpu'], 'no runner has gpu'],
    ['nothing, and no label is asked', [], 'codex', [], 'no runner has the agent codex'],
    ['another agent', [offer('claude-code')], 'codex', [], 'no runner has the agent codex'],
    ['another label', [offer('codex', 'linux')], 'codex', ['linux', 'gpu'], 'no runner has gpu'],
    ['the label in another case', [offer('codex', 'GPU')], 'codex', ['gpu'], 'no runner has gpu'],
    ['a longer label', [offer('codex', 'gpu-a100')], 'codex', ['gpu'], 'no runner has gpu'],
    ['none of three labels', [offer('codex')], 'codex', ['a', 'b', 'c'], 'no runner has a, b and c'],
    [
      'agent and label on different runners',
      [offer('codex'), offer('claude-code', 'gpu')],
      'codex',
      ['gpu'],
      'no runner with the agent codex has gpu',
    ],
    [
      'both labels on different runners',
      [offer('codex', 'gpu'), offer('codex', 'linux')],
      'codex',
      ['gpu', 'linux'],
      'no runner with the agent codex has gpu and linux together',
    ],
  ])('that have %s', (_, offers, agent, runsOn, reason) => {
    const asked = { agent, ...(runsOn && { runsOn }) }
    expect(reasonNoneFits(offers, asked)).toBe(reason)
    expect(offers.some((one) => offerFits(one, asked, offers))).toBe(reason === undefined)
  })

  it.each([
    ['its home alone, while that takes tasks', ['home', 'other'], ['home'], false],
    ['any other one, once its home takes none', ['other'], ['other'], true],
  ])('let a task that goes on in a workspace go to %s', (_, names, takers, byService) => {
    const taking = names.map((name) => ({ ...offer('codex'), name }))
    const asked = { agent: 'codex', home: 'home' }
    expect(taking.filter((one) => offerFits(one, asked, taking)).map(({ name }) => name)).toEqual(takers)
    expect(fitsService(asked, new Set(['codex']), { registered: taking, taking })).toBe(byService)
  })
})
