import { useRouterState } from '@tanstack/react-router'
import { FilePen } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { draftFor, dropDraft, isEmptyDraft, type Purpose } from '../create/draft.ts'
import { overlay } from './overlay.ts'

export const Unsent = () => (
  <>
    <Offer purpose="create" />
    <Offer purpose="again" />
  </>
)

const Offer = ({ purpose }: { purpose: Purpose }) => {
  const draft = draftFor(purpose).use()
  const open = overlay.use()
  // The first page has the form itself.
  const isShown =
    useRouterState({ select: ({ location }) => location.pathname === '/' }) && purpose === 'create'
  if (!draft.isUnsent || isEmptyDraft(draft) || open === purpose || isShown) return null
  return (
    <section
      aria-label="Unsent task"
      className="flex min-h-9 shrink-0 items-center gap-2 border-b bg-accent px-4 py-1 md:px-6"
    >
      <FilePen size={14} className="shrink-0" />
      <span role="status" className="min-w-0 truncate">
        <span className="font-medium">Not sent yet:</span> {draft.fields.title || draft.fields.prompt}
      </span>
      <span className="ml-auto flex shrink-0 gap-1">
        <Button size="small" onClick={() => overlay.set(purpose)}>
          Continue
        </Button>
        <Button size="small" kind="ghost" onClick={() => dropDraft(purpose)}>
          Discard
        </Button>
      </span>
    </section>
  )
}
