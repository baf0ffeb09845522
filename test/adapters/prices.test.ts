import { describe, expect, it } from '@jest/globals'
import { createPrices } from '../../lib/adapters/prices/prices.ts'
import { createFakeClock } from '../fakes/clock.ts'

const none = { input: 0, cachedInput: 0, cacheWrites: 0, output: 0, reasoning: 0 }
const million = 1_000_000

describe('the price of a call', () => {
  it.each<[string, string, Partial<typeof none>, number | null]>([
    ['anthropic', 'claude-sonnet-4-5-20250929', { input: 100_000 }, 0.3],
    ['anthropic', 'claude-sonnet-4-5', { cachedInput: 100_000 }, 0.03],
    ['anthropic', 'claude-sonnet-4-5', { cacheWrites: 100_000 }, 0.375],
    ['anthropic', 'claude-sonnet-4-5', { output: 100_000 }, 1.5],
    ['openai', 'gpt-5', { input: million, cachedInput: million, output: million }, 11.375],
    ['openai', 'gpt-5', { reasoning: million }, 10],
    ['google', 'gemini-2.5-pro', { input: 100_000 }, 0.125],
    ['azure', 'gpt-4o', { input: million }, 2.5],
    ['openai', 'gpt-5', {}, 0],
    ['openai', 'our-own-model', { input: million }, null],
    ['ollama', 'gpt-5', { input: million }, null],
    ['demo', 'scripted', { input: million }, null],
    ['openai', '', { input: million }, null],
    ['anthropic', 'claude-sonnet-4-5', { input: Number.NaN }, null],
  ])('is that of its provider and model, or unknown: %s %s %j', async (provider, model, counts, usd) => {
    const clock = createFakeClock(Date.parse('2026-06-01T00:00:00Z'))
    const price = await createPrices({ clock }).load()
    const found = price({ provider, model, usage: { ...none, ...counts } })
    expect(found === null ? null : Math.round(found * 1e6) / 1e6).toBe(usd)
  })
})
