import * as z from 'zod'
import { Problem } from '../../core/errors.ts'
import { copyByteOrderMark, lineEndingIn, withLineEnding } from '../../core/line-endings.ts'
import { secretNames, secretSegment } from '../../core/secret-path.ts'
import type { Workspace } from '../../ports/workspace.ts'
import { replaceOnce } from '../edit-text.ts'
import { defineTool } from '../tool.ts'

/** A path for the workspace; the guards check that it stays inside. */
const PathSchema = z.string().min(1).max(1_024).describe('Path relative to the workspace')

const MOST = 1_000

export const listFiles = defineTool({
  name: 'list_files',
  description:
    'List a folder of the workspace. Folders end in /, symbolic links in @. Leave path out for the root.',
  input: z.object({ path: PathSchema.default('.') }),
  risk: 'read',
  paths: ({ path }) => [path],
  subject: ({ path }) => path,
  async run({ path }, { workspace }) {
    const { names, truncated } = await workspace.list(path, MOST)
    if (names.length === 0) return { content: 'The folder is empty.' }
    return {
      content: [...names, ...(truncated ? [`[more than ${MOST}; the rest is not shown]`] : [])].join('\n'),
    }
  },
})

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

const MOST_READ_BYTES = 256 * 1_024

export const readFile = defineTool({
  name: 'read_file',
  description: 'Read a text file of the workspace.',
  input: z.object({ path: PathSchema }),
  risk: 'read',
  paths: ({ path }) => [path],
  subject: ({ path }) => path,
  async run({ path }, { workspace }) {
    const { text, bytes, truncated } = await workspace.read(path, MOST_READ_BYTES)
    if (text === '') return { content: '[the file is empty]' }
    return {
      content: truncated ? `${text}\n[cut: the file has ${bytes} bytes; search_files finds the rest]` : text,
    }
  },
})

const MOST_EDITED_BYTES = 1_000_000

/**
 * `content`, with the byte order mark and the CRLF or CR line endings of the file at `path`. In a file with LF line endings
 * a CR may be text. A file that is no text does not count.
 */
const withPresentLineEndings = async (
  workspace: Workspace,
  path: string,
  content: string,
): Promise<string> => {
  const present = await workspace.read(path, MOST_EDITED_BYTES).catch((thrown: unknown) => {
    if (thrown instanceof Problem && thrown.kind === 'invalid') return { text: '' }
    throw thrown
  })
  const ending = lineEndingIn(present.text) ?? '\n'
  return copyByteOrderMark(present.text, ending === '\n' ? content : withLineEnding(content, ending))
}

/** Throws Problem `invalid` `path_unfit` for a place where no file can be written: a folder, or a place below a file. */
const refuseNoFile = async (workspace: Workspace, path: string): Promise<void> => {
  const isFolder = await workspace.list(path, 1).then(
    () => true,
    () => false,
  )
  if (isFolder) throw new Problem('invalid', 'path_unfit', `${path} is a folder`)
  const folders = path.split('/').slice(0, -1)
  for (let depth = 1; depth <= folders.length; depth += 1) {
    const folder = folders.slice(0, depth).join('/')
    if (folder !== '') await workspace.list(folder, 1).catch(throwUnfit)
  }
}

/** A missing folder is made; the folders above an absolute path are outside. */
const throwUnfit = (thrown: unknown): void => {
  if (thrown instanceof Problem && thrown.code === 'path_unfit') throw thrown
}

export const writeFile = defineTool({
  name: 'write_file',
  description:
    'Write a whole text file, making its folders. An existing file is replaced; it keeps its byte order mark, and CRLF or CR line endings.',
  input: z.object({ path: PathSchema, content: z.string().max(1_000_000) }),
  risk: 'write',
  paths: ({ path }) => [path],
  subject: ({ path }) => path,
  refuse: ({ path }, { workspace }) => refuseNoFile(workspace, path),
  async run({ path, content }, { workspace }) {
    const text = await withPresentLineEndings(workspace, path, content)
    const { created } = await workspace.write(path, text)
    return { content: `${created ? 'Created' : 'Replaced'} ${path}, ${Buffer.byteLength(text)} bytes.` }
  },
})

type Edit = { path: string; oldText: string; newText: string }

/** The text of the file after an edit. Throws Problem `invalid` for one that does not fit it. */
const edited = async (workspace: Workspace, { path, oldText, newText }: Edit): Promise<string> => {
  const { text, truncated } = await workspace.read(path, MOST_EDITED_BYTES)
  if (truncated)
    throw new Problem('invalid', 'edit_refused', `The file is larger than ${MOST_EDITED_BYTES} bytes.`)
  return replaceOnce(text, oldText, newText)
}

export const editFile = defineTool({
  name: 'edit_file',
  description:
    'Replace oldText by newText in a text file. oldText must occur exactly once, white space included. Line endings and a byte order mark stay as the file has them.',
  input: z.object({
    path: PathSchema,
    oldText: z.string().min(1).max(1_000_000),
    newText: z.string().max(1_000_000),
  }),
  risk: 'write',
  paths: ({ path }) => [path],
  subject: ({ path }) => path,
  refuse: async (edit, { workspace }) => void (await edited(workspace, edit)),
  async run(edit, { workspace }) {
    const { path } = edit
    await workspace.write(path, await edited(workspace, edit))
    return { content: `Edited ${path}.` }
  },
})
