import { useQuery } from '@tanstack/react-query'
import { conversationTitles } from '../data/chat.ts'
import { foundInDocs } from '../data/docs-search.ts'
import { foundTasks } from '../data/tasks.ts'

const MOST_CONVERSATIONS = 5
const MOST_DOCS = 6

/** Tasks by every text that the service searches, conversations by their titles, docs by their texts. Without words the newest tasks. */
export const useFound = (words: string) => {
  const tasks = useQuery(foundTasks(words))
  const conversations = useQuery({ ...conversationTitles, enabled: words !== '' })
  const docs = useQuery(foundInDocs(words, MOST_DOCS))
  const folded = words.toLowerCase().split(/\s+/)
  const hasWords = ({ title }: { title: string }) =>
    folded.every((word) => title.toLowerCase().includes(word))
  return {
    tasks: tasks.data?.tasks ?? [],
    total: tasks.data?.total ?? 0,
    error: tasks.error,
    conversations:
      words === '' ? [] : (conversations.data ?? []).filter(hasWords).slice(0, MOST_CONVERSATIONS),
    docs: words === '' ? [] : (docs.data ?? []),
    // All come at once: what is first stays first while the others come.
    isPending: tasks.isPending || conversations.isLoading || docs.isLoading,
  }
}

type Found = ReturnType<typeof useFound>
export type FoundTask = Found['tasks'][number]
export type FoundConversation = Found['conversations'][number]
