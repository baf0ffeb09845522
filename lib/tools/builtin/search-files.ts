import * as z from 'zod'
import { secretNames, secretSegment } from '../../core/secret-path.ts'
import { defineTool } from '../tool.ts'
import { PathSchema } from './path.ts'

const MOST_HITS = 200

export const searchFiles = defineTool({
  name: 'search_files',
  description:
    'Find lines that contain a text, taken literally and case-sensitively. Answers path:line:text. Ignored files are left out.',
  input: z.object({ query: z.string().min(1).max(1_000), path: PathSchema.default('.') }),
  risk: 'read',
  paths: ({ path }) => [path],
  subject: ({ query, path }) => `${JSON.stringify(query)} in ${path}`,
  async run({ query, path }, { workspace, signal }) {
    const request = { query, path, except: secretNames, most: MOST_HITS, signal }
    const { hits, truncated } = await workspace.search(request)
    const open = hits.filter((hit) => secretSegment(hit.path) === undefined)
    if (open.length === 0) return { content: 'Nothing found.' }
    const rest = truncated ? [`[only the first ${MOST_HITS} hits are shown]`] : []
    return { content: [...open.map((hit) => `${hit.path}:${hit.line}:${hit.text}`), ...rest].join('\n') }
  },
})
