// The main navigation. Every link carries the view, so that range and filters persist.
import { Link } from 'wouter';
import { usePathname } from 'wouter/use-browser-location';
import {
  addServerPath,
  alertsPath,
  callsPath,
  loopsPath,
  overviewPath,
  sessionsPath,
  settingsPath,
  toolsPath,
} from '../paths.ts';
import { openPalette } from '../view/open-palette.ts';
import { useView } from '../view/use-view.ts';
import type { View } from '../view/view.ts';
import { Icon, type IconName } from './icon.tsx';

interface NavigationItem {
  readonly name: string;
  readonly icon: IconName;
  readonly path: (view: View) => string;
  readonly isAtBottom?: boolean;
  /** Phones have space for seven items; the settings page has a link too. */
  readonly isHiddenOnPhone?: boolean;
}

const NAVIGATION_ITEMS: readonly NavigationItem[] = [
  { name: 'Overview', icon: 'overview', path: (view) => overviewPath(view) },
  { name: 'Tools', icon: 'tools', path: (view) => toolsPath(view) },
  { name: 'Sessions', icon: 'sessions', path: (view) => sessionsPath(view) },
  { name: 'Loops', icon: 'loop', path: (view) => loopsPath(view) },
  { name: 'Alerts', icon: 'alerts', path: (view) => alertsPath(view) },
  { name: 'Calls', icon: 'calls', path: (view) => callsPath(view) },
  {
    name: 'Add a server',
    icon: 'add',
    path: (view) => addServerPath(view),
    isAtBottom: true,
    isHiddenOnPhone: true,
  },
  { name: 'Settings', icon: 'settings', path: (view) => settingsPath(view), isAtBottom: true },
];

export function NavigationRail() {
  const view = useView();
  const pathname = usePathname();
  return (
    <nav className="rail" aria-label="Pages">
      <div>
        <Link href={overviewPath(view)} className="brand" aria-label="Toolscope, to the overview">
          <Icon name="mark" />
          <span>Toolscope</span>
        </Link>
        <button type="button" className="search" title="Search (Ctrl+K)" onClick={() => openPalette()}>
          <Icon name="search" />
          <span>Search</span>
          <kbd>Ctrl K</kbd>
        </button>
        <ul>
          {NAVIGATION_ITEMS.map(({ name, icon, path, isAtBottom, isHiddenOnPhone }) => {
            const href = path(view);
            const [own = ''] = href.split('?');
            const isHere = own === '/' ? pathname === '/' : pathname.startsWith(own);
            return (
              <li
                key={name}
                className={
                  [isAtBottom && 'foot', isHiddenOnPhone && 'wide-only'].filter(Boolean).join(' ') ||
                  undefined
                }
              >
                <Link href={href} aria-current={isHere ? 'page' : undefined} title={name}>
                  <Icon name={icon} />
                  <span>{name}</span>
                </Link>
              </li>
            );
          })}
        </ul>
      </div>
    </nav>
  );
}
