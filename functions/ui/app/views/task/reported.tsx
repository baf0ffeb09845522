import { Link } from '@tanstack/react-router'
import { GitBranch, GitPullRequest, MessageSquare, MessageSquareX } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { httpsLink } from '../../components/link.ts'
import { TextPieces } from '../../components/plain-text.tsx'
import { type Fault, isObject, type Published, publishedIn } from '../../components/published.ts'
import { startOfLine } from '../../components/text-weight.ts'
import { When } from '../../components/when.tsx'
import { providers } from '../../data/providers.ts'
import { Section } from './section.tsx'

type Report = {
  provider: string
  status: 'pending' | 'reported' | 'failed'
  url?: string
  reportedAt?: string
  error?: Fault
}
const taskReport = (task: Task): Report | undefined => {
  const { report } = task as { report?: unknown }
  return isObject(report) && typeof report.status === 'string' ? (report as Report) : undefined
}

/** Renders nothing if the result was not reported. */
export const Reported = ({ task }: { task: Task }) => {
  const report = taskReport(task)
  const published = publishedIn(task)
  if (report === undefined && published === undefined) return null
  return (
    <Section title="Reporting">
      <ul className="flex flex-col gap-2 px-3.5 pt-1 pb-3">
        {published && <PublishedLine {...published} />}
        {report && <ReportLine {...report} />}
      </ul>
    </Section>
  )
}

const Line = ({ icon, children }: { icon: ReactNode; children: ReactNode }) => (
  <li className="flex gap-2 [overflow-wrap:anywhere]">
    <span className="pt-0.5 text-muted-foreground">{icon}</span>
    <span className="min-w-0">{children}</span>
  </li>
)

/** Plain text unless the URL is https. */
const Away = ({ to, children }: { to: unknown; children: ReactNode }) => {
  const href = httpsLink(to)
  if (href === undefined) return children
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" className="underline underline-offset-2">
      {children}
    </a>
  )
}

const Why = ({ error }: { error: Fault | undefined }) => (
  <>
    <span className="text-destructive">
      {error ? <TextPieces text={`${String(error.message)} (${String(error.code)})`} /> : 'unknown reason'}
    </span>
    . Check the permissions of the account under{' '}
    <Link to="/settings/integrations" className="underline underline-offset-2">
      Integrations
    </Link>
    .
  </>
)

const PublishedLine = ({ status, branch, pullRequest, compareUrl, error }: Published) => {
  const name = (
    <code title={branch} className="font-mono text-xs">
      {startOfLine(branch)}
    </code>
  )
  if (status === 'failed')
    return (
      <Line icon={<GitBranch size={14} aria-hidden />}>
        {compareUrl === undefined ? (
          <>Publishing the changes on {name} failed: </>
        ) : (
          <>
            Pushed to the branch <Away to={compareUrl}>{name}</Away>, but no pull request was created:{' '}
          </>
        )}
        <Why error={error} />
      </Line>
    )
  if (pullRequest === undefined)
    return <Line icon={<GitBranch size={14} aria-hidden />}>Pushed to the branch {name}</Line>
  return (
    <Line icon={<GitPullRequest size={14} aria-hidden />}>
      <Away to={pullRequest.url}>Pull request #{startOfLine(String(pullRequest.number))}</Away> from the
      branch {name}
    </Line>
  )
}

const providerLabel = (provider: string) =>
  Object.hasOwn(providers, provider)
    ? providers[provider as keyof typeof providers].label
    : startOfLine(provider)

const ReportLine = ({ provider, status, url, reportedAt, error }: Report) => {
  const issue = <Away to={url}>the {providerLabel(String(provider))} issue</Away>
  if (status === 'failed')
    return (
      <Line icon={<MessageSquareX size={14} aria-hidden />}>
        Commenting on {issue} failed: <Why error={error} />
      </Line>
    )
  return (
    <Line icon={<MessageSquare size={14} aria-hidden />}>
      {status === 'pending' ? <>The comment on {issue} is pending</> : <>Commented on {issue} </>}
      {status === 'reported' && reportedAt && <When at={reportedAt} />}
    </Line>
  )
}
