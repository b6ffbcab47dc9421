/** Variables with which the Vulkan loader, if there is one, finds no driver. */
export const NO_GPU = { VK_ICD_FILENAMES: '/nowhere.json', VK_DRIVER_FILES: '/nowhere.json' };
