import type { Principal } from '../core/principal.ts'
import { filesIn, shownChunk } from './contents.ts'
import type { IndexCache } from './index-cache.ts'
import type { CheckOwnConversation, MemoryChunk } from './schema.ts'
import { type createSearch, plainChunk } from './search.ts'

const MOST = 6

type Needs = {
  indexCache: IndexCache
  search: ReturnType<typeof createSearch>
  namesOf: (conversationId: string) => Promise<string[]>
  checkOwnConversation: CheckOwnConversation
}
type Given = { query?: string | undefined; conversationId?: string | undefined }

/** Loads memory, and returns chunks for the question, else for the names of the sessions, else of the latest files. */
export const createWarm = ({ indexCache, search, namesOf, checkOwnConversation }: Needs) => {
  const latest = async (): Promise<MemoryChunk[]> => {
    const { contents } = await indexCache.searchable()
    return filesIn(contents)
      .sort((a, b) => (a.updatedAt > b.updatedAt ? -1 : 1))
      .slice(0, MOST)
      .flatMap(({ path, chunks }) => chunks.slice(0, 1).map((chunk) => shownChunk(path, chunk)))
  }

  const matching = async (query: string): Promise<MemoryChunk[]> =>
    (await search({ query, maxResults: MOST })).chunks.map(plainChunk)

  return async (principal: Principal, { query, conversationId }: Given) => {
    if (conversationId !== undefined) await checkOwnConversation(principal, conversationId)
    const isByNames = query === undefined && conversationId !== undefined
    const names = isByNames ? await namesOf(conversationId) : []
    const question = query ?? names.join(' ')
    const found = question === '' ? [] : await matching(question)
    const chunks = found.length > 0 || query !== undefined ? found : await latest()
    const those = chunks.length === 1 ? '1 chunk is' : `${chunks.length} chunks are`
    return { message: `Memory is loaded; ${those} relevant`, chunks }
  }
}
