import { Link } from '@tanstack/react-router'
import { CircleAlert, CircleCheck } from 'lucide-react'
import type { Components } from '../../../../../lib/health/schema.ts'
import { buttonClass } from '../../components/button.tsx'
import { problemsIn } from './problems.ts'

/** What is wrong and where it is mended, before everything else. */
export const Summary = ({ components }: { components: Components }) => {
  const problems = problemsIn(components)
  if (problems.length === 0)
    return (
      <p className="flex items-center gap-2 rounded-lg border bg-card px-3.5 py-2.5 font-medium">
        <CircleCheck size={16} className="shrink-0 text-completed" /> Everything works.
      </p>
    )
  return (
    <ul aria-label="Problems" className="divide-y rounded-lg border bg-card">
      {problems.map(({ id, status, text, advice, to, leads }) => (
        <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3.5 py-2.5">
          <CircleAlert
            size={16}
            className={`shrink-0 ${status === 'unhealthy' ? 'text-failed' : 'text-queued'}`}
          />
          <p className="min-w-0 flex-1 basis-60 [overflow-wrap:anywhere]">
            <span className="font-medium">{text}</span>{' '}
            <span className="text-muted-foreground">{advice}</span>
          </p>
          <Link to={to} className={`${buttonClass({ size: 'small' })} max-sm:ml-7`}>
            {leads}
          </Link>
        </li>
      ))}
    </ul>
  )
}
