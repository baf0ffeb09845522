import type { ReactNode } from 'react'
import { useNarrow } from '../components/narrow.ts'
import { AgentCards } from './agent-cards.tsx'
import { MoreFields } from './more-fields.tsx'
import { RepositoryFields } from './repository-fields.tsx'
import type { TypedFields } from './typed-fields.ts'

type Props = TypedFields & {
  /** The form begins with the prompt. */
  isFirst?: boolean
  canRepeat?: boolean
  /** Between the prompt and the rest. */
  children?: ReactNode
}

/** What a task is given, in a new task and in a schedule. `typed` follows what is typed. */
export const TaskFields = ({ typed, errors, isFirst = false, canRepeat = false, children }: Props) => (
  <>
    <PromptField prompt={typed.prompt} error={errors.prompt} isFirst={isFirst} />
    {children}
    <RepositoryFields typed={typed} errors={errors} repository={typed.repository ?? ''} />
    <AgentCards chosen={typed.assignedAgent ?? ''} error={errors.assignedAgent} />
    <MoreFields typed={typed} errors={errors} prompt={typed.prompt ?? ''} canRepeat={canRepeat} />
  </>
)

type PromptProps = { prompt: string | undefined; error: string | undefined; isFirst: boolean }

const PromptField = ({ prompt, error, isFirst }: PromptProps) => {
  // The keyboard of a phone would cover half of the form.
  const isNarrow = useNarrow()
  return (
    <label className="flex min-w-0 flex-col gap-1">
      <span className="sr-only">Prompt</span>
      <textarea
        name="prompt"
        defaultValue={prompt}
        // biome-ignore lint/a11y/noAutofocus: the form begins with it.
        autoFocus={isFirst && !isNarrow}
        aria-invalid={error ? true : undefined}
        placeholder="Describe the outcome and how to check it. The first line becomes the title."
        onKeyDown={(event) => {
          // Leaves the field, so that page keys work again. A dialog closes.
          if (event.key !== 'Escape' || event.currentTarget.closest('[role=dialog]')) return
          event.currentTarget.blur()
        }}
        className="field-sizing-content max-h-[40vh] min-h-28 w-full resize-none rounded-lg border border-input bg-card px-3.5 py-3 text-base placeholder:text-muted-foreground aria-invalid:border-destructive"
      />
      {error && <span className="text-destructive">{error}</span>}
    </label>
  )
}
