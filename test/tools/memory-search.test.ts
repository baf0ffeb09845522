import { describe, expect, it } from '@jest/globals'
import { createMemorySearch } from '../../lib/tools/builtin/search.ts'
import { taskTools } from '../../lib/tools/catalog.ts'

const chunk = { path: 'a/b.md', startLine: 3, endLine: 5, text: '# Title\n\ntext' }
const context = {
  workspace: {} as never,
  userId: 'u',
  mode: 'full' as const,
  signal: new AbortController().signal,
}

describe('memory_search', () => {
  it('answers where something stands, and what', async () => {
    const asked: string[] = []
    const tool = createMemorySearch(async (query) => {
      asked.push(query)
      return [chunk, { ...chunk, startLine: 9, endLine: 9, text: 'more' }]
    })
    const { content } = await tool.run({ query: 'title' }, context)
    expect(content).toBe('[a/b.md:3-5]\n# Title\n\ntext\n\n[a/b.md:9-9]\nmore')
    expect(asked).toEqual(['title'])
  })

  it('says so when there is nothing', async () => {
    expect(await createMemorySearch(async () => []).run({ query: 'x' }, context)).toEqual({
      content: 'Nothing found.',
    })
  })

  it('is a tool of agents that reads only, so that it is there in mode sandbox', () => {
    const tool = taskTools(async () => []).find(({ name }) => name === 'memory_search')
    expect(tool?.risk).toBe('read')
    expect(tool?.input.safeParse({ query: ' ' }).success).toBe(false)
  })
})
