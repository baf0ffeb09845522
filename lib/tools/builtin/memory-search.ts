import * as z from 'zod'
import { cutText } from '../../core/cut-text.ts'
import { defineTool } from '../tool.ts'

type Passage = { path: string; startLine: number; endLine: number; text: string }
export type SearchMemory = (query: string) => Promise<readonly Passage[]>

const MOST_CHARACTERS = 4_000

export const createMemorySearch = (search: SearchMemory) =>
  defineTool({
    name: 'memory_search',
    description:
      'Search the notes that people keep as memory: conventions, decisions, how things were done before. Answers the parts that fit best.',
    input: z.object({ query: z.string().trim().min(1).max(1_000) }),
    risk: 'read',
    subject: ({ query }) => JSON.stringify(query),
    async run({ query }) {
      const found = await search(query)
      if (found.length === 0) return { content: 'Nothing found.' }
      return { content: found.map(passageText).join('\n\n') }
    },
  })

const passageText = ({ path, startLine, endLine, text }: Passage) =>
  `[${path}:${startLine}-${endLine}]\n${cutText(text, MOST_CHARACTERS)}`
