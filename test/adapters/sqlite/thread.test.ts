import { describe, expect, it } from '@jest/globals'
import { withChild } from './child.ts'

describe('a thread', () => {
  it('keeps to its own young generation beside a flag for all, and the main thread to that of the flag', async () => {
    let said = ''
    const listen = async (child: { said: () => Promise<string> }) => {
      said = await child.said()
    }
    await withChild('busy-thread.ts', [], listen, 'export NODE_OPTIONS=--max-semi-space-size=8')
    expect(said).toBe('4 16')
  })
})
