import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleDashed, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/view.tsx'
import { useModelProviders } from '../../data/chat.ts'
import { useConnection } from '../../data/integrations.ts'
import { useTokens } from '../../data/tokens.ts'
import { openCreate } from '../../shell/overlay.ts'

/** The scripted model of a service without provider keys. */
const DEMO = 'demo'

type Props = { total: number; hasRepository: boolean; onHide: () => void }

/** Renders nothing once all steps are done. */
export const Steps = ({ total, hasRepository, onHide }: Props) => {
  const models = useModelProviders().data
  const codehost = useConnection('codehost').data
  const tokens = useTokens({ limit: 1, offset: 0 }).data
  const done = {
    model: models?.providers.some(({ type }) => type !== DEMO) === true,
    task: total > 0,
    repository: hasRepository || codehost?.connected === true,
    token: (tokens?.total ?? 0) > 0,
  }
  const count = Object.values(done).filter(Boolean).length
  if (models === undefined || tokens === undefined || count === 4) return null
  return (
    <Panel
      title="First steps"
      aside={
        <span className="-mr-2 flex items-center gap-2 text-muted-foreground">
          {count} of 4
          <Button kind="ghost" size="icon" aria-label="Hide first steps" onClick={onHide}>
            <X size={15} />
          </Button>
        </span>
      }
    >
      <ol className="grid gap-px overflow-hidden rounded-b-lg bg-border sm:grid-cols-2 xl:grid-cols-4">
        <Step isDone={done.model} title="Add a model key">
          Add a model key under{' '}
          <Link to="/settings/models" className={link}>
            Settings, Models
          </Link>
        </Step>
        <Step isDone={done.task} title="Create a task">
          <button type="button" className={link} onClick={openCreate}>
            Create one
          </button>
          <span className="max-md:hidden"> (press c)</span>, or from a script.
        </Step>
        <Step isDone={done.repository} title="Work on a repository">
          Choose one in a task, or link your GitHub account under{' '}
          <Link to="/settings/integrations" className={link}>
            Integrations
          </Link>
        </Step>
        <Step isDone={done.token} title="Use the API">
          Create a token under{' '}
          <Link to="/settings/tokens" className={link}>
            API tokens
          </Link>
        </Step>
      </ol>
    </Panel>
  )
}

const link = 'font-medium text-foreground underline underline-offset-2'

const Step = ({ isDone, title, children }: { isDone: boolean; title: string; children: ReactNode }) => (
  <li className="flex gap-2.5 bg-card px-3.5 py-3">
    {isDone ? (
      <CircleCheck size={16} className="mt-0.5 shrink-0 text-completed" />
    ) : (
      <CircleDashed size={16} className="mt-0.5 shrink-0 text-muted-foreground" />
    )}
    <div className="min-w-0">
      <p className="font-medium">
        {title}
        <span className="sr-only">{isDone ? ': done' : ': to do'}</span>
      </p>
      <p className="text-muted-foreground">{children}</p>
    </div>
  </li>
)
