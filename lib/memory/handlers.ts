import type { Actor } from '../core/principal.ts'
import type { Handlers } from '../http/route.ts'
import type { memoryRoutes } from './contract.ts'
import type { Experience } from './schema.ts'
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
    return { message: 'Chunk removed. It is added again when its file changes' }
  },
  rateMemoryChunk: async ({ params, body }) => {
    await memory.files.rateChunk(params.id, body.useful, body.taskId)
    return { message: 'Feedback saved' }
  },
  listMemoryVerdicts: ({ query }) => memory.listVerdicts(query.taskId),
  removeMemoryFile: async ({ params }) => {
    await memory.files.removeFile(params.path)
    return { message: 'File removed from memory. It is added again when it changes' }
  },
  clearMemory: async (_input, { principal }) => {
    const { files, chunks } = await memory.clear(principal)
    return { message: `Cleared ${files} files and ${chunks} chunks. A file is added again when it changes` }
  },
  memoryWatcher: () => memory.watcher(),
  createMemorySession: async ({ body }, { principal }) => ({
    session: await memory.sessions.create(principal, body),
  }),
  listMemorySessions: ({ query }, { principal }) => memory.sessions.list(principal, query),
  getMemorySession: async ({ params }, { principal }) => ({
    session: await memory.sessions.get(principal, params.id),
  }),
  archiveMemorySession: async ({ params }, { principal }) => ({
    message: 'Memory session archived',
    session: await memory.sessions.archive(principal, params.id),
  }),
  warmMemory: ({ body }, { principal }) => memory.warm(principal, body),
  createExperience: async ({ body }, { principal }) => ({
    experience: await memory.experiences.create(principal, body),
  }),
  listExperiences: async ({ query }, { principal }) =>
    withReadable(principal, await memory.experiences.list(query)),
  searchExperiences: async ({ query }, { principal }) =>
    withReadable(principal, await memory.experiences.search(query)),
  getExperience: async ({ params }, { principal }) => ({
    experience: readable(principal, await memory.experiences.get(params.id)),
  }),
  removeExperience: async ({ params }) => {
    await memory.experiences.remove(params.id)
    return { message: 'Experience deleted' }
  },
  useExperience: async ({ params, body }, { principal }) => ({
    message: 'Experience used',
    experience: readable(principal, await memory.experiences.use(params.id, body)),
  }),
})

/** An experience is for all users; the conversation that it comes from is its maker's. */
const readable = <E extends Experience>({ userId }: Actor, experience: E): E => {
  if (experience.createdBy === userId) return experience
  const { sourceConversationId: _, ...rest } = experience
  return rest as E
}

const withReadable = <E extends Experience, Answer extends { experiences: E[] }>(
  by: Actor,
  answer: Answer,
): Answer => ({
  ...answer,
  experiences: answer.experiences.map((one) => readable(by, one)),
})
