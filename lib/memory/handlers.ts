import type { Handlers } from '../http/route.ts'
import type { memoryRoutes } from './contract.ts'
import type { Memory } from './service.ts'

export const memoryHandlers = ({ memory }: { memory: Memory }): Handlers<typeof memoryRoutes> => ({
  searchMemory: ({ body }) => memory.search(body),
  syncMemory: () => memory.sync(),
  memoryStats: () => memory.stats(),
  listMemoryFiles: ({ query }) => memory.files.list(query),
  listExcludedFiles: ({ query }) => memory.excluded.list(query),
  listMemoryChunks: ({ params }) => memory.files.chunks(params.path),
  removeMemoryChunk: async ({ params }) => {
    await memory.files.removeChunk(params.id)
    return { message: 'Chunk deleted; it comes back when its file changes' }
  },
  rateMemoryChunk: async ({ params, body }) => {
    await memory.files.rateChunk(params.id, body.useful, body.taskId)
    return { message: 'Noted' }
  },
  listMemoryVerdicts: ({ query }) => memory.verdictsOf(query.taskId),
  removeMemoryFile: async ({ params }) => {
    await memory.files.removeFile(params.path)
    return { message: 'File deleted from memory; it comes back when it changes' }
  },
  clearMemory: async (_input, { principal }) => {
    const { files, chunks } = await memory.clear(principal)
    return { message: `Cleared ${files} files and ${chunks} chunks; a file comes back when it changes` }
  },
  memoryWatcher: () => memory.watcher(),
  createMemorySession: async ({ body }, { principal }) => ({
    session: await memory.sessions.create(principal, body),
  }),
  listMemorySessions: ({ query }) => memory.sessions.list(query),
  getMemorySession: async ({ params }) => ({ session: await memory.sessions.get(params.id) }),
  archiveMemorySession: async ({ params }) => ({
    message: 'Memory session archived',
    session: await memory.sessions.archive(params.id),
  }),
  warmMemory: ({ body }) => memory.warm(body),
  createExperience: async ({ body }, { principal }) => ({
    experience: await memory.experiences.create(principal, body),
  }),
  listExperiences: ({ query }) => memory.experiences.list(query),
  searchExperiences: ({ query }) => memory.experiences.search(query),
  getExperience: async ({ params }) => ({ experience: await memory.experiences.get(params.id) }),
  removeExperience: async ({ params }) => {
    await memory.experiences.remove(params.id)
    return { message: 'Experience deleted' }
  },
  useExperience: async ({ params, body }) => ({
    message: 'Experience used',
    experience: await memory.experiences.use(params.id, body),
  }),
})
