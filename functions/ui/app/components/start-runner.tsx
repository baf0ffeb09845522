import { Link } from '@tanstack/react-router'
import { useMe } from '../data/me.ts'
import { Command } from './copy.tsx'
import { shellWord } from './shell-word.ts'

const EXAMPLE = { token: 'svc_…', name: 'build-1' }

/** The command that starts a runner of this service, with its API token. */
export const runnerCommand = ({ token, name }: typeof EXAMPLE): string =>
  `RUNNER_TOKEN=${token} npx agent-tasks runner \\\n  --url ${shellWord(location.origin)} --name ${shellWord(name)}`

const link = 'font-medium text-foreground underline underline-offset-2'

export const RunnerGuide = ({ className = link }: { className?: string }) => (
  <Link to="/docs/$group/$page" params={{ group: 'operate', page: 'runners' }} className={className}>
    Guide
  </Link>
)

/** How to start a runner. */
export const StartRunner = () => {
  const isAdmin = useMe()?.role === 'admin'
  return (
    <ol className="flex list-decimal flex-col gap-2 pl-5 text-left text-muted-foreground">
      <li>
        {isAdmin ? (
          <>
            Create a token with the scope Runner under{' '}
            <Link to="/settings/tokens" className={link}>
              API tokens
            </Link>
            .
          </>
        ) : (
          'Ask an admin for an API token with the scope Runner.'
        )}
      </li>
      <li>
        On the machine of the runner, in a clone of this project:
        <div className="flex flex-col gap-1.5 pt-1.5">
          <Command text="npm ci" />
          <Command text={runnerCommand(EXAMPLE)} />
        </div>
      </li>
    </ol>
  )
}
