import { useNavigate } from '@tanstack/react-router'
import { FlaskConical } from 'lucide-react'
import { useState } from 'react'
import { Refusal } from '../../components/refusal.tsx'
import { useModelProviders } from '../../data/chat.ts'
import { newIdempotencyKey } from '../../data/idempotency-key.ts'
import { SAMPLE_LABEL, useCreateTask, useHasOwnTasks } from '../../data/tasks.ts'
import { samples } from './sample-tasks.ts'

/** Offered while the demo model answers and nothing else was run: no key is needed to see how a task goes. */
export const Samples = () => {
  const { data: models } = useModelProviders()
  const { mutate, isPending, error } = useCreateTask()
  const [key] = useState(newIdempotencyKey)
  const navigate = useNavigate()
  const isDemo = models?.default === 'demo'
  const hasOwnTasks = useHasOwnTasks(isDemo)
  if (!isDemo || hasOwnTasks !== false) return null
  const run = (body: (typeof samples)[number]['body'], at: number) =>
    mutate(
      { body: { ...body, assignedAgent: 'coding-agent', labels: [SAMPLE_LABEL] }, key: `${key}-${at}` },
      { onSuccess: ({ task }) => void navigate({ to: '/tasks/$id', params: { id: task.id } }) },
    )
  return (
    <section aria-label="Sample tasks" className="flex flex-col gap-1.5">
      <h2 className="text-xs font-medium text-muted-foreground">
        No model key yet? Try a sample with the demo model (not an AI)
      </h2>
      <ul className="grid gap-2 sm:grid-cols-3">
        {samples.map(({ name, about, body }, at) => (
          <li key={name} className="flex">
            <button
              type="button"
              disabled={isPending}
              onClick={() => run(body, at)}
              className="flex min-w-0 flex-1 flex-col gap-0.5 rounded-lg border border-dashed bg-card px-3 py-2 text-left hover:bg-accent disabled:opacity-50"
            >
              <span className="flex items-center gap-1.5 font-medium">
                <FlaskConical size={14} className="shrink-0 text-muted-foreground" /> {name}
              </span>
              <span className="text-xs text-muted-foreground">{about}</span>
            </button>
          </li>
        ))}
      </ul>
      <Refusal error={error} />
    </section>
  )
}
