import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { useSectionsBeside } from '../components/narrow.ts'
import { View, ViewBack } from '../components/view.tsx'
import { useMe } from '../data/me.ts'
import { useAuthMode } from '../data/session.ts'
import { isOffered, settingsSections } from './nav.ts'

const HOME = '/settings'

/**
 * Wide: the sections beside the one that is open. Narrow: a page that lists them, and a way back to it from each. The open one stays
 * mounted when the window changes: it may show a token that is shown once.
 */
export const SettingsFrame = (): ReactNode => {
  const isBeside = useSectionsBeside()
  const { pathname } = useLocation()
  const isList = !isBeside && pathname.replace(/\/$/, '') === HOME
  return (
    <div className="flex h-full min-h-0">
      {isBeside && <Sections />}
      <div className="min-h-0 min-w-0 flex-1">
        {isList ? (
          <SectionList />
        ) : (
          <ViewBack value={isBeside ? null : <Back pathname={pathname} />}>
            <Outlet />
          </ViewBack>
        )}
      </div>
    </div>
  )
}

const useOfferedSections = () => {
  const role = useMe()?.role
  const mode = useAuthMode()
  return settingsSections
    .map(({ group, sections }) => ({
      group,
      sections: sections.filter((section) => isOffered(section, role, mode)),
    }))
    .filter(({ sections }) => sections.length > 0)
}

const Sections = () => (
  <nav aria-label="Settings" className="flex w-44 shrink-0 flex-col gap-3 overflow-y-auto border-r p-3">
    {useOfferedSections().map(({ group, sections }) => (
      <div key={group} className="flex shrink-0 flex-col gap-px">
        <p className="px-2 pb-1 text-xs text-muted-foreground">{group}</p>
        <ul className="flex flex-col gap-px">
          {sections.map(({ to, label, hasPages = false }) => (
            <li key={to}>
              <Link
                to={to}
                activeOptions={{ exact: !hasPages, includeSearch: false }}
                className="flex h-7.5 items-center rounded-md px-2 whitespace-nowrap text-muted-foreground hover:bg-accent hover:text-foreground data-[status=active]:bg-accent data-[status=active]:font-medium data-[status=active]:text-foreground"
              >
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </div>
    ))}
  </nav>
)

const SectionList = () => (
  <View title="Settings">
    <nav aria-label="Settings" className="mx-auto flex w-full max-w-2xl flex-col gap-1.5 p-4">
      {useOfferedSections().map(({ group, sections }) => (
        <Fragment key={group}>
          <h2 className="px-1 pt-2 text-xs text-muted-foreground first:pt-0">{group}</h2>
          <ul className="divide-y rounded-lg border bg-card">
            {sections.map(({ to, label }) => (
              <li key={to}>
                <Link to={to} className="flex h-11 items-center justify-between px-3.5 hover:bg-accent">
                  {label}
                  <ChevronRight size={15} className="text-muted-foreground" />
                </Link>
              </li>
            ))}
          </ul>
        </Fragment>
      ))}
    </nav>
  </View>
)

/** From a page of a section to the section, and from the section to the list. */
const Back = ({ pathname }: { pathname: string }) => {
  const sections = settingsSections.flatMap((group) => group.sections)
  const parent = sections.find(({ to, hasPages }) => hasPages && pathname.startsWith(`${to}/`))
  return (
    <Link
      to={parent?.to ?? HOME}
      className="-ml-1.5 inline-flex h-8 shrink-0 items-center text-muted-foreground hover:text-foreground"
    >
      <ChevronLeft size={16} /> {parent?.label ?? 'Settings'}
    </Link>
  )
}
