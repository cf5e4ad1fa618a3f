/** VitePress's own theme, with names above files and rooms for wide tables. */
import theme from 'vitepress/theme';
import './style.css';

export default theme;
